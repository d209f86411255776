using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Plain sockets, used as floors.</summary>
public static class BareSockets
{
    public static Socket Listen(MessageEndpoint endpoint)
    {
        var socket = Make(endpoint);
        socket.Bind(AddressOf(endpoint));
        socket.Listen();
        return socket;
    }

    public static async Task<Socket> ConnectAsync(MessageEndpoint endpoint)
    {
        var socket = Make(endpoint);
        await socket.ConnectAsync(AddressOf(endpoint));
        return socket;
    }

    /// <summary>Serves each connection until it ends.</summary>
    public static async Task AcceptAllAsync(Socket listener, Func<Socket, Task> serve, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            var socket = await listener.AcceptAsync(cancellationToken);
            if (socket.AddressFamily != AddressFamily.Unix)
                socket.NoDelay = true;
            _ = Task.Run(() => serve(socket), cancellationToken);
        }
    }

    /// <summary>Returns the received bytes to the sender, with one send for each receive.</summary>
    public static async Task PingPongAsync(Socket socket)
    {
        var buffer = new byte[4096];
        int received;
        while ((received = await socket.ReceiveAsync(buffer)) > 0)
            await socket.SendAsync(buffer.AsMemory(0, received));
    }

    private static Socket Make(MessageEndpoint endpoint) => endpoint.Transport.IsLocal
        ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
        : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    private static EndPoint AddressOf(MessageEndpoint endpoint) => endpoint.Transport.IsLocal
        ? new UnixDomainSocketEndPoint(endpoint.Address)
        : new IPEndPoint(IPAddress.Parse(endpoint.Address), endpoint.Port);
}
