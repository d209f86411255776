using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>A server of TLS 1.3 alone, by the framework. It returns the number that each client sends.</summary>
/// <remarks>The certificate is self-signed, with a key on the curve P-256. The certificate context is created once, and a session that waits holds no buffer, as in a careful program.</remarks>
public sealed class TlsServer : IDisposable
{
    private readonly Socket _listener = BareSockets.Listen(MessageEndpoint.Tcp(0));
    private readonly CancellationTokenSource _end = new();
    private readonly X509Certificate2 _certificate = SelfSigned.Make();
    private readonly SslServerAuthenticationOptions _options;

    public TlsServer()
    {
        _options = new SslServerAuthenticationOptions
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(_certificate, additionalCertificates: null, offline: true),
            EnabledSslProtocols = SslProtocols.Tls13,
            AllowTlsResume = false, // a separate key exchange for each session, as the sessions of a host have
        };
        _ = BareSockets.AcceptAllAsync(_listener, ServeAsync, _end.Token);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>The SHA-256 hash of the certificate.</summary>
    public byte[] Hash => _certificate.GetCertHash(HashAlgorithmName.SHA256);

    public void Dispose()
    {
        _end.Cancel();
        _listener.Dispose();
        _certificate.Dispose();
        _end.Dispose();
    }

    private async Task ServeAsync(Socket socket)
    {
        await using var stream = new SslStream(new NetworkStream(socket, ownsSocket: true));
        await stream.AuthenticateAsServerAsync(_options);
        var number = new byte[sizeof(int)];
        while (await TlsSession.ReadAsync(stream, number))
            await stream.WriteAsync(number);
    }
}
