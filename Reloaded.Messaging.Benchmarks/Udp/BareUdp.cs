using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Benchmarks.Udp;

/// <summary>The floors over plain sockets: one datagram in each direction, and datagrams full of frames in one direction.</summary>
public static class BareUdp
{
    private const int Size = 36;
    private const int FrameSize = 26; // length, type and struct
    private const int FramesOfDatagram = 1200 / FrameSize;
    private const int Acknowledged = 16;
    private const int Window = 4 * Acknowledged; // fewer bytes than the receive buffer of the system, so that nothing is lost

    private delegate void FrameHandler(ReadOnlySpan<byte> frame);

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

    /// <summary>Calls a handler for each frame, and acknowledges each sixteenth datagram.</summary>
    public static async Task SinkAsync(Socket socket)
    {
        var (buffer, from, acknowledgement) = (new byte[2048], new SocketAddress(AddressFamily.InterNetwork), new byte[1]);
        long sum = 0;
        FrameHandler handle = frame => sum += BinaryPrimitives.ReadInt64LittleEndian(frame[2..]);
        try
        {
            for (var datagrams = 1L; ; datagrams++)
            {
                var size = await socket.ReceiveFromAsync(buffer, SocketFlags.None, from);
                for (var at = 0; at < size; at += 1 + buffer[at])
                    handle(buffer.AsSpan(at, 1 + buffer[at]));
                if (datagrams % Acknowledged == 0)
                    await socket.SendToAsync(acknowledgement, SocketFlags.None, from);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            _ = sum; // the measurement has ended
        }
    }

    /// <summary>Sends frames, as many in a datagram as fit, until the other side has acknowledged all of them.</summary>
    /// <returns>The number of frames per second.</returns>
    public static async Task<double> SendAsync(Socket socket, TimeSpan time)
    {
        var (datagram, acknowledgement) = (new byte[FramesOfDatagram * FrameSize], new byte[1]);
        var watch = Stopwatch.StartNew();
        var (sent, open) = (0L, 0);
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < Acknowledged; i++)
            {
                for (var at = 0; at < datagram.Length; at += FrameSize)
                {
                    (datagram[at], datagram[at + 1]) = (FrameSize - 1, 42);
                    BinaryPrimitives.WriteInt64LittleEndian(datagram.AsSpan(at + 2), sent++);
                    BinaryPrimitives.WriteInt64LittleEndian(datagram.AsSpan(at + 10), 2);
                    BinaryPrimitives.WriteInt64LittleEndian(datagram.AsSpan(at + 18), 3);
                }

                await socket.SendAsync(datagram);
            }

            for (open += Acknowledged; open >= Window; open -= Acknowledged)
                await socket.ReceiveAsync(acknowledgement);
        }

        for (; open > 0; open -= Acknowledged)
            await socket.ReceiveAsync(acknowledgement);
        return sent / watch.Elapsed.TotalSeconds;
    }
}
