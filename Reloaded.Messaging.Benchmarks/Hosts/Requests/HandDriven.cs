using System.Diagnostics;

namespace Reloaded.Messaging.Benchmarks.Hosts.Requests;

/// <summary>A client and a server on one thread, which takes each step of a block of requests by a call.</summary>
internal abstract class HandDriven
{
    /// <summary>The number of requests of a block.</summary>
    public const int InFlight = 100;

    /// <summary>The size of each payload in bytes.</summary>
    public const int Size = 16;

    /// <summary>The names of the steps, in their order.</summary>
    public static readonly string[] Steps = ["send", "flush", "serve", "receive", "return"];

    protected HandPipe ToServer { get; } = new();

    protected HandPipe ToClient { get; } = new();

    protected byte[][] Payloads { get; } = Array.ConvertAll(new byte[InFlight][], static _ => RandomBytes());

    /// <summary>Sends blocks of requests, and adds the time of each step.</summary>
    /// <param name="blocks">The number of blocks.</param>
    /// <param name="ticks">The ticks of <see cref="Stopwatch"/> of each step.</param>
    public void Run(int blocks, long[] ticks)
    {
        for (var block = 0; block < blocks; block++)
        {
            var begin = Stopwatch.GetTimestamp();
            Send();
            var sent = Stopwatch.GetTimestamp();
            Flush();
            var flushed = Stopwatch.GetTimestamp();
            Settle();
            var arrived = Stopwatch.GetTimestamp();
            ToServer.Deliver();
            var served = Stopwatch.GetTimestamp();
            Settle();
            var returned = Stopwatch.GetTimestamp();
            ToClient.Deliver();
            var received = Stopwatch.GetTimestamp();
            var replies = Return();
            var end = Stopwatch.GetTimestamp();
            if (replies != InFlight)
                throw new InvalidOperationException($"{InFlight} requests were sent, and {replies} have a reply with the same bytes.");
            ticks[0] += sent - begin;
            ticks[1] += flushed - sent;
            ticks[2] += served - arrived;
            ticks[3] += received - returned;
            ticks[4] += end - received;
        }
    }

    /// <summary>Sends the requests of a block. Their bytes are not written yet.</summary>
    protected abstract void Send();

    /// <summary>Writes the bytes.</summary>
    protected abstract void Flush();

    /// <summary>Waits for bytes that another thread writes. A timer writes corked bytes.</summary>
    protected virtual void Settle()
    {
    }

    /// <summary>Fetches the replies. Returns the number of those that have the bytes of their request.</summary>
    protected abstract int Return();

    private static byte[] RandomBytes()
    {
        var bytes = new byte[Size];
        Random.Shared.NextBytes(bytes);
        return bytes;
    }
}
