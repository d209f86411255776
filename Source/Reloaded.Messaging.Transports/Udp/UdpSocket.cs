using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>Socket operations for datagrams.</summary>
internal static class UdpSocket
{
    /// <summary>The requested size of the socket's receive buffer, in bytes. The system may grant less; datagrams that do not fit are lost.</summary>
    private const int ReceiveBufferSize = 4 << 20;

    public static void Prepare(Socket socket) => socket.ReceiveBufferSize = ReceiveBufferSize;

    /// <summary>Sends a datagram. A failure is ignored, because it has the same effect as a datagram that is lost in the network.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="datagram">The datagram.</param>
    /// <param name="to">The address, or <see langword="null"/> for a connected socket.</param>
    public static void Send(Socket socket, ReadOnlySpan<byte> datagram, SocketAddress? to)
    {
        try
        {
            // Synchronous: a socket accepts a datagram immediately, or has no buffer space for a moment. A synchronous call is the cheapest.
            if (to is null)
                socket.Send(datagram, SocketFlags.None);
            else
                socket.SendTo(datagram, SocketFlags.None, to);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            _ = e; // the loss of a datagram in the network is not reported either; keep-alives detect a lost peer
        }
    }

    public static ReadOnlySpan<byte> BytesOf(SocketAddress address) => address.Buffer.Span.Slice(0, address.Size);

    /// <summary>Returns the source under which limits per address count a sender: its IPv4 address or 64-bit IPv6 network; on this machine, its address and port.</summary>
    /// <remarks>All programs of this machine share an address. The port distinguishes them, so that no program uses the limit of another.</remarks>
    public static ReadOnlySpan<byte> SourceOf(SocketAddress address)
    {
        const int Port = 2, V4 = 4, V6 = 8; // offsets in sockaddr_in and sockaddr_in6
        var bytes = BytesOf(address);
        if (address.Family != AddressFamily.InterNetworkV6)
            return bytes[V4] == 127 ? bytes.Slice(Port, 6) : bytes.Slice(V4, 4);
        var v6 = bytes.Slice(V6, 16);
        if (v6.StartsWith((ReadOnlySpan<byte>)[0, 0, 0, 0, 0, 0, 0, 0])) // ::1, and IPv4 addresses that are mapped to IPv6
            return v6.Slice(8).StartsWith((ReadOnlySpan<byte>)[0, 0, 0xFF, 0xFF]) && v6[12] != 127 ? v6.Slice(12) : bytes.Slice(Port);
        return v6.Slice(0, AddressGroup.PrefixBytes);
    }

    /// <summary>Returns whether two addresses differ in the port at most.</summary>
    public static bool HaveSameMachine(SocketAddress one, SocketAddress other) =>
        ((IPEndPoint)EndPointOf(one)).Address.Equals(((IPEndPoint)EndPointOf(other)).Address);

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
