using System;

namespace Reloaded.Messaging.Games;

/// <summary>Puts a <see cref="NetworkPath"/> before an endpoint.</summary>
public static class NetworkPathExtensions
{
    /// <summary>Returns an endpoint whose datagrams take a path: between a client and its server, or, for a server that listens, between it and all of its clients.</summary>
    /// <param name="endpoint">An endpoint over UDP: <see cref="MessageEndpoint.Udp(int, UdpOptions)"/>, or that of the transport for LiteNetLib.</param>
    /// <param name="path">The path. Its owner may change it at any time, and reads its counts.</param>
    /// <remarks>
    /// The datagrams pass a socket of this process. A server sees each client at an address of this machine. Therefore, a server that other machines can
    /// reach throws an <see cref="InvalidOperationException"/> when it listens, unless the program is a debug build, or <see cref="NetworkPath.AllowRemoteClients"/> is set.
    /// The endpoint of such a server has the path too: a client that connects to it takes the path twice. Give clients the address and the port instead.
    /// </remarks>
    /// <exception cref="ArgumentException">Thrown when the transport of the endpoint does not send datagrams over UDP.</exception>
    /// <exception cref="PlatformNotSupportedException">Thrown by the netstandard2.1 build, which has no UDP.</exception>
    public static MessageEndpoint WithPath(this MessageEndpoint endpoint, NetworkPath path)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(path);
        return endpoint.Transport.Scheme is "udp" or "litenet"
            ? MessageEndpoint.Over(new PathTransport(endpoint.Transport, path), endpoint.Address, endpoint.Port)
            : throw new ArgumentException($"{endpoint} does not use UDP, and a NetworkPath carries UDP datagrams. Use MessageEndpoint.Udp, or an endpoint of the transport for LiteNetLib.", nameof(endpoint));
    }
}
