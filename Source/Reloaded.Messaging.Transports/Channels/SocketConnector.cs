using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Connects stream sockets.</summary>
internal static class SocketConnector
{
    /// <summary>Connects to an IP address or a path.</summary>
    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, EndPoint remote, CancellationToken cancellationToken)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(remote.AddressFamily, SocketType.Stream, remote is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified); // within the try: the lack of a free socket may be temporary
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false);
            if (remote is IPEndPoint && remote.Equals(socket.LocalEndPoint)) // a client that reconnects to a free port of this machine may connect to itself
                throw new SocketException((int)SocketError.ConnectionRefused);
            return MakeChannel(socket, address);
        }
        catch (Exception e)
        {
            socket?.Dispose();
            if (e is SocketException failure)
                throw new TransportClosedException(SocketFailure.DescribeConnect(address, failure), e);
            throw;
        }
    }

    /// <summary>Connects to the first reachable address of a host. For example, localhost may resolve to ::1 first while the server listens at 127.0.0.1.</summary>
    public static async ValueTask<TransportChannel> ConnectToAnyAsync(TransportAddress address, CancellationToken cancellationToken)
    {
        for (var i = 0; ; i++)
        {
            try
            {
                return await ConnectAsync(address, new IPEndPoint(address.IPAddresses[i], address.Port), cancellationToken).ConfigureAwait(false);
            }
            catch (TransportClosedException) when (i + 1 < address.IPAddresses.Count)
            {
                // Try the next address.
            }
        }
    }

    /// <summary>Creates a channel from a connected socket. If this method throws, the caller still owns the socket. Disables Nagle's algorithm, because the connection merges its frames itself.</summary>
    public static TransportChannel MakeChannel(Socket socket, TransportAddress address)
    {
        if (address.Transport.IsLocal)
            return new SocketChannel(socket, address.ToString(), null);
        socket.NoDelay = true;
        return new SocketChannel(socket, $"{address.Transport.Scheme}://{socket.RemoteEndPoint}", AddressGroup.Of(socket.RemoteEndPoint));
    }
}
