using System;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>What datagrams need of sockets.</summary>
internal static class UdpSocket
{
    /// <summary>Asks for so much room for datagrams that came and were not taken. A system may give less: then they are lost.</summary>
    private const int ReceiveBufferSize = 4 << 20;

    public static void Prepare(Socket socket) => socket.ReceiveBufferSize = ReceiveBufferSize;

    /// <summary>Sends, or doesn't: a datagram that can't be sent is as good as one that was lost on the way.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="datagram">What to send.</param>
    /// <param name="to">Where to; null for a socket that is connected.</param>
    public static void Send(Socket socket, ReadOnlySpan<byte> datagram, SocketAddress? to)
    {
        try
        {
            // Not asynchronous: a socket takes a datagram at once or is out of memory for a moment, and that is what it costs least by.
            if (to is null)
                socket.Send(datagram, SocketFlags.None);
            else
                socket.SendTo(datagram, SocketFlags.None, to);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            _ = e; // nobody is told of a loss on the way either; pings find out who is gone
        }
    }

    public static ReadOnlySpan<byte> BytesOf(SocketAddress address) => address.Buffer.Span.Slice(0, address.Size);

    /// <summary>Returns what limits per address count a sender by: its IPv4 address or IPv6 network of 64 bits; on this machine, its address and port.</summary>
    /// <remarks>All programs of this machine share an address. Each of them has its own port, so that none of them takes the share of another.</remarks>
    public static ReadOnlySpan<byte> SourceOf(SocketAddress address)
    {
        const int Port = 2, V4 = 4, V6 = 8; // offsets in sockaddr_in and sockaddr_in6
        var bytes = BytesOf(address);
        if (address.Family != AddressFamily.InterNetworkV6)
            return bytes[V4] == 127 ? bytes.Slice(Port, 6) : bytes.Slice(V4, 4);
        var v6 = bytes.Slice(V6, 16);
        if (v6.StartsWith((ReadOnlySpan<byte>)[0, 0, 0, 0, 0, 0, 0, 0])) // ::1, and IPv4 addresses that are mapped
            return v6.Slice(8).StartsWith((ReadOnlySpan<byte>)[0, 0, 0xFF, 0xFF]) && v6[12] != 127 ? v6.Slice(12) : bytes.Slice(Port);
        return v6.Slice(0, AddressGroup.PrefixBytes);
    }

    public static bool AreSame(SocketAddress one, SocketAddress other) => BytesOf(one).SequenceEqual(BytesOf(other));

    public static SocketAddress Copy(SocketAddress address)
    {
        var copy = new SocketAddress(address.Family, address.Size);
        BytesOf(address).CopyTo(copy.Buffer.Span);
        return copy;
    }

    public static EndPoint EndPointOf(SocketAddress address) =>
        new IPEndPoint(address.Family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any, 0).Create(address);
}
