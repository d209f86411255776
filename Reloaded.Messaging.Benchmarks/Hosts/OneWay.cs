using System;
using System.Diagnostics;
using System.Net.Sockets;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Sends one-way messages as fast as possible, until the other side has received all of them. Each method returns the number of messages per second.</summary>
public static class OneWay
{
    private const int FrameSize = 26; // length, type and struct

    public static async Task<double> OursAsync(MessageClient client, TimeSpan time)
    {
        var before = (await client.RequestAsync<HandledQuery, HandledReport>(default)).Count;
        var watch = Stopwatch.StartNew();
        long sent = 0;
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < 1000; i++)
                await client.SendAsync(new OneWayMessage(sent++, 2, 3));
        }

        // This request follows all messages on the same connection, so its reply confirms that they were handled.
        var handled = (await client.RequestAsync<HandledQuery, HandledReport>(default, TimeSpan.FromSeconds(30))).Count - before;
        if (handled != sent)
            throw new InvalidOperationException($"{sent} messages were sent, but {handled} were handled.");
        return sent / watch.Elapsed.TotalSeconds;
    }

    public static async Task<double> BareAsync(Socket socket, TimeSpan time)
    {
        var block = new byte[64 * 1024];
        var watch = Stopwatch.StartNew();
        long bytes = 0;
        while (watch.Elapsed < time)
        {
            const int Blocks = 256;
            await socket.SendAsync(BitConverter.GetBytes((long)Blocks * block.Length));
            await socket.ReceiveAsync(block.AsMemory(0, 1));
            for (var i = 0; i < Blocks; i++)
            {
                for (var sent = 0; sent < block.Length;)
                    sent += await socket.SendAsync(block.AsMemory(sent));
            }

            await socket.ReceiveAsync(block.AsMemory(0, 1));
            bytes += (long)Blocks * block.Length;
        }

        return bytes / (double)FrameSize / watch.Elapsed.TotalSeconds;
    }
}
