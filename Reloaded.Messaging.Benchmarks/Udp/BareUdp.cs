using System;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Benchmarks.Udp;

/// <summary>The floor of requests: one datagram in each direction over plain sockets.</summary>
public static class BareUdp
{
    private const int Size = 36;

    public static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    public static Socket Connect(Socket server)
    {
        var socket = Bind();
        socket.Connect(server.LocalEndPoint!);
        return socket;
    }

    public static async Task EchoAsync(Socket socket)
    {
        var (buffer, from) = (new byte[2048], new SocketAddress(AddressFamily.InterNetwork));
        try
        {
            while (true)
                await socket.SendToAsync(buffer.AsMemory(0, await socket.ReceiveFromAsync(buffer, SocketFlags.None, from)), SocketFlags.None, from);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            _ = e; // the measurement has ended
        }
    }

    public static async Task<double> AskAsync(Socket socket, TimeSpan time)
    {
        var buffer = new byte[Size];
        var watch = Stopwatch.StartNew();
        long count = 0;
        while (watch.Elapsed < time)
        {
            await socket.SendAsync(buffer);
            await socket.ReceiveAsync(buffer);
            count++;
        }

        return count / watch.Elapsed.TotalSeconds;
    }
}
