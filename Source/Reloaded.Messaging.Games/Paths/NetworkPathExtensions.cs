namespace Reloaded.Messaging.Games;

/// <summary>Puts a <see cref="NetworkPath"/> before an endpoint.</summary>
public static class NetworkPathExtensions
{
    /// <summary>Returns an endpoint whose bytes take a path: between a client and its server, or, for a server that listens, between it and all of its clients.</summary>
    /// <param name="endpoint">An endpoint over UDP or TCP: <see cref="MessageEndpoint.Udp(int, int)"/>, <see cref="MessageEndpoint.Tcp(int)"/>, or that of the transport for LiteNetLib.</param>
    /// <param name="path">The path. Its owner may change it at any time, and reads its counts.</param>
    /// <remarks>
    /// Datagrams pass a socket of this process. A server over UDP sees each client at an address of this machine. Therefore, a server that other machines can
    /// reach throws an <see cref="InvalidOperationException"/> when it listens, unless the program is a debug build, or <see cref="NetworkPath.AllowRemoteClients"/> is set.
    /// The endpoint of a server with a path has the path too: a client that connects to it takes the path twice. Give clients the address and the port instead.
    /// </remarks>
    /// <exception cref="ArgumentException">Thrown when the transport of the endpoint does not use UDP or TCP.</exception>
    /// <exception cref="PlatformNotSupportedException">Thrown by the netstandard2.1 build.</exception>
    public static MessageEndpoint WithPath(this MessageEndpoint endpoint, NetworkPath path)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(path);
        Transport transport = endpoint.Transport.Scheme switch
        {
            "udp" or "litenet" => new PathDatagramTransport(endpoint.Transport, path),
            "tcp" => new PathStreamTransport(endpoint.Transport, path),
            _ => throw new ArgumentException($"{endpoint} does not use UDP or TCP. Use MessageEndpoint.Udp, MessageEndpoint.Tcp, or an endpoint of the transport for LiteNetLib.", nameof(endpoint)),
        };
        return MessageEndpoint.Over(transport, endpoint.Address, endpoint.Port);
    }
}
