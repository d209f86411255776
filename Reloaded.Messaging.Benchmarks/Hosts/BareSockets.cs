using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
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

    /// <summary>Receives blocks of 64 KiB and counts their bytes. Sends back one byte when all bytes have arrived.</summary>
    public static async Task SinkAsync(Socket socket)
    {
        var buffer = new byte[64 * 1024];
        long left = 0;
        while (true)
        {
            var received = await socket.ReceiveAsync(buffer);
            if (received == 0)
                return;
            var start = 0;
            if (left == 0)
            {
                left = BitConverter.ToInt64(buffer); // the client sends the count separately and waits
                await socket.SendAsync(buffer.AsMemory(0, 1));
                start = sizeof(long);
            }

            left -= received - start;
            if (start == 0 && left == 0)
                await socket.SendAsync(buffer.AsMemory(0, 1));
        }
    }

    private static Socket Make(MessageEndpoint endpoint) => endpoint.Transport.IsLocal
        ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
        : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    private static EndPoint AddressOf(MessageEndpoint endpoint) => endpoint.Transport.IsLocal
        ? new UnixDomainSocketEndPoint(endpoint.Address)
        : new IPEndPoint(IPAddress.Parse(endpoint.Address), endpoint.Port);
}
