using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Channels.Sockets;

/// <summary>Connects stream sockets.</summary>
internal static class SocketConnector
{
    public static async ValueTask<MessageChannel> ConnectAsync(Endpoint endpoint, CancellationToken cancellationToken)
    {
        EndPoint remote = endpoint.Kind != EndpointKind.Tcp
            ? new UnixDomainSocketEndPoint(endpoint.Address)
            : new IPEndPoint(await TcpAddress.ResolveAsync(endpoint, cancellationToken).ConfigureAwait(false), endpoint.Port);
        var socket = endpoint.Kind != EndpointKind.Tcp
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(remote.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false);
            if (remote is IPEndPoint && remote.Equals(socket.LocalEndPoint)) // who reconnects to a free port of this machine may get itself
                throw new SocketException((int)SocketError.ConnectionRefused);
            return MakeChannel(socket, endpoint);
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw new ChannelClosedException($"Connecting to {endpoint} failed: {e.Message}. Is the server running, as this user?", e);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Makes a channel of a connected socket, which stays the caller's if this throws. Frames leave at once: they are merged above, where it is known what else is to be sent.</summary>
    public static MessageChannel MakeChannel(Socket socket, Endpoint endpoint)
    {
        if (endpoint.Kind == EndpointKind.Tcp)
            socket.NoDelay = true;
        var name = endpoint.Kind == EndpointKind.Tcp ? $"tcp://{socket.RemoteEndPoint}" : endpoint.ToString();
        return new SocketChannel(socket, name);
    }
}
