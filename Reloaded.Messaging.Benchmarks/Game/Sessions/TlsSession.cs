using System.Buffers.Binary;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>A session with a <see cref="TlsServer"/>. It is established when it has the reply to its number, and then waits for further bytes.</summary>
public sealed class TlsSession : IAsyncDisposable
{
    private readonly SslStream _stream;

    private TlsSession(SslStream stream) => _stream = stream;

    public static async Task<TlsSession> ConnectAsync(SessionAddress address, int session)
    {
        var socket = await BareSockets.ConnectAsync(MessageEndpoint.Tcp(address.TlsPort));
        var stream = new SslStream(new NetworkStream(socket, ownsSocket: true));
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "sessions",
            EnabledSslProtocols = SslProtocols.Tls13,
            AllowTlsResume = false,
            RemoteCertificateValidationCallback = (_, certificate, _, _) => certificate!.GetCertHash(HashAlgorithmName.SHA256).AsSpan().SequenceEqual(address.TlsHash),
        });
        var number = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(number, session);
        await stream.WriteAsync(number);
        await ReadAsync(stream, number);
        if (BinaryPrimitives.ReadInt32LittleEndian(number) != session)
            throw new InvalidOperationException($"Session {session} received another number.");
        _ = stream.ReadAsync(Memory<byte>.Empty).AsTask(); // a client listens; it ends with the stream
        return new TlsSession(stream);
    }

    /// <summary>Waits for bytes without a buffer, and then reads a number.</summary>
    /// <returns>Whether there was a number; <c>false</c> if the other side ended the stream.</returns>
    public static async Task<bool> ReadAsync(SslStream stream, byte[] number)
    {
        _ = await stream.ReadAsync(Memory<byte>.Empty);
        return await stream.ReadAtLeastAsync(number, number.Length, throwOnEndOfStream: false) == number.Length;
    }

    public ValueTask DisposeAsync() => _stream.DisposeAsync();
}
