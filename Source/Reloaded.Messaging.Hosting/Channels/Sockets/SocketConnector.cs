using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Connects stream sockets.</summary>
internal static class SocketConnector
{
    /// <summary>Connects to a path.</summary>
    public static ValueTask<TransportChannel> ConnectUnixAsync(MessageEndpoint endpoint, CancellationToken cancellationToken) =>
        ConnectAsync(endpoint, new UnixDomainSocketEndPoint(endpoint.Address), ProtocolType.Unspecified, cancellationToken);

    /// <summary>Connects to the address that the endpoint's host was found to have.</summary>
    public static ValueTask<TransportChannel> ConnectTcpAsync(MessageEndpoint endpoint, IPAddress address, CancellationToken cancellationToken) =>
        ConnectAsync(endpoint, new IPEndPoint(address, endpoint.Port), ProtocolType.Tcp, cancellationToken);

    /// <summary>Makes a channel of a connected socket, which stays the caller's if this throws. Frames leave at once: they are merged above, where it is known what else is to be sent.</summary>
    public static TransportChannel MakeChannel(Socket socket, MessageEndpoint endpoint)
    {
        if (endpoint.Kind == EndpointKind.Tcp)
            socket.NoDelay = true;
        var name = endpoint.Kind == EndpointKind.Tcp ? $"tcp://{socket.RemoteEndPoint}" : endpoint.ToString();
        return new SocketChannel(socket, name, AddressGroup.Of(socket.RemoteEndPoint));
    }

    private static async ValueTask<TransportChannel> ConnectAsync(MessageEndpoint endpoint, EndPoint remote, ProtocolType protocol, CancellationToken cancellationToken)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(remote.AddressFamily, SocketType.Stream, protocol); // in here: that there is none left may pass
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false);
            if (remote is IPEndPoint && remote.Equals(socket.LocalEndPoint)) // who reconnects to a free port of this machine may get itself
                throw new SocketException((int)SocketError.ConnectionRefused);
            return MakeChannel(socket, endpoint);
        }
        catch (SocketException e)
        {
            socket?.Dispose();
            throw new TransportClosedException($"Connecting to {endpoint} failed: {e.Message}. Is the server running, as this user?", e);
        }
        catch
        {
            socket?.Dispose();
            throw;
        }
    }
}
