using System.Linq;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A socket that sends a server what a test wants.</summary>
internal sealed class UnauthenticatedClient : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = 1 << 20 }; // for more than 256 answers

    public UnauthenticatedClient(MessageEndpoint server) => _socket.Connect(new IPEndPoint(IPAddress.Loopback, server.Port));

    public int Available => _socket.Available;

    public int Port => ((IPEndPoint)_socket.LocalEndPoint!).Port;

    public static byte[] Hello()
    {
        var hello = new byte[DatagramFormat.HelloSize];
        DatagramFormat.Magic.CopyTo(hello);
        Random.Shared.NextBytes(hello.AsSpan(DatagramFormat.Magic.Length, DatagramFormat.RandomSize));
        return hello;
    }

    /// <summary>What connects, but for an offer.</summary>
    public async Task<byte[]> GetCookieAsync()
    {
        await SendAsync(Hello());
        var cookie = await ReceiveAsync();
        cookie[0] = DatagramFormat.Connect;
        return cookie;
    }

    public Task<int> SendAsync(byte[] datagram) => _socket.SendAsync(datagram);

    public async Task<byte[]> ReceiveAsync()
    {
        var buffer = new byte[2048];
        return buffer[..await _socket.ReceiveAsync(buffer).InTime()];
    }

    /// <summary>Receives until a datagram of a kind comes.</summary>
    /// <returns>The kind.</returns>
    public async Task<byte> ReceiveAsync(byte kind)
    {
        while (true)
        {
            if ((await ReceiveAsync())[0] == kind)
                return kind;
        }
    }

    public void Dispose() => _socket.Dispose();
}

/// <summary>Datagrams of a handshake.</summary>
internal static class KeyExchangeExtensions
{
    /// <summary>Makes the datagram that connects.</summary>
    /// <param name="exchange">The key exchange.</param>
    /// <param name="connect">The datagram without an offer.</param>
    public static byte[] MakeConnect(this KeyExchange exchange, byte[] connect) => [.. connect, .. exchange.MakeOffer(connect.AsSpan(1))];
}

/// <summary>Datagrams without protection, byte by byte.</summary>
internal static class PlainDatagram
{
    /// <summary>Makes a datagram with one part.</summary>
    public static byte[] Make(ReadOnlySpan<byte> connection, ulong number, DatagramPart part, ReadOnlySpan<byte> body) =>
        [DatagramFormat.Plain, .. connection, .. BitConverter.GetBytes(number), .. Part(part, body)];

    public static byte[] Part(DatagramPart part, ReadOnlySpan<byte> body) => [(byte)part, (byte)body.Length, (byte)(body.Length >> 8), .. body];

    /// <summary>Returns whether a datagram contains a part of a kind.</summary>
    public static bool Has(byte[] datagram, DatagramPart wanted) => datagram[0] == DatagramFormat.Plain && PartsOf(datagram).Any(part => part.Part == wanted);

    public static List<(DatagramPart Part, byte[] Body)> PartsOf(byte[] datagram)
    {
        var parts = new List<(DatagramPart, byte[])>();
        ReadOnlySpan<byte> rest = datagram.AsSpan(DatagramFormat.PlainHeader);
        while (DatagramReader.TryRead(ref rest, out var part, out var body))
            parts.Add((part, body.ToArray()));
        return parts;
    }
}
