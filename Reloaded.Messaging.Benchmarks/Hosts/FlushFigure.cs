using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Channels;
using Reloaded.Messaging.Hosting.Sending;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Eight threads send 512 bytes each, as often as they can, to a channel that takes a while for each write and forgets what it took.</summary>
public static class FlushFigure
{
    private const int Writers = 8;
    private const int Rounds = 5;
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(250);

    /// <summary>One round: messages a second that were written, and how long the slowest hundredth of sends took, in nanoseconds.</summary>
    public readonly record struct Round(double Delivered, double P99);

    public static List<Round> Measure(int delayMicroseconds, bool outsideOfLock)
    {
        Run(delayMicroseconds, outsideOfLock);
        return [.. Enumerable.Range(0, Rounds).Select(_ => Run(delayMicroseconds, outsideOfLock))];
    }

    private static Round Run(int delayMicroseconds, bool outsideOfLock)
    {
        var channel = new SlowChannel(delayMicroseconds);
        var outbox = new Outbox(channel, 4 << 20, static _ => { }, CancellationToken.None);
        var message = new byte[512];
        var gate = new object();
        var stopped = false;
        var times = new List<double>[Writers];
        var threads = new Thread[Writers];
        for (var i = 0; i < Writers; i++)
        {
            var own = times[i] = [];
            threads[i] = new Thread(() =>
            {
                while (!Volatile.Read(ref stopped))
                {
                    var start = Stopwatch.GetTimestamp();
                    if (outsideOfLock)
                    {
                        if (outbox.TryAppend(message, isSecret: false) == SendStatus.Full)
                            Thread.Yield();
                    }
                    else
                    {
                        lock (gate)
                            channel.Write(message.Length);
                    }

                    if (own.Count < 1_000_000)
                        own.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds);
                }
            });
        }

        var watch = Stopwatch.StartNew();
        Array.ForEach(threads, static thread => thread.Start());
        Thread.Sleep(s_time);
        Volatile.Write(ref stopped, true);
        var delivered = channel.Bytes / (double)message.Length / watch.Elapsed.TotalSeconds;
        Array.ForEach(threads, static thread => thread.Join());
        outbox.Close();
        var all = times.SelectMany(static own => own).Order().ToList();
        return new Round(delivered, all[(int)(all.Count * 0.99)]);
    }

    /// <summary>Takes its time by looking at the clock: a sleep of 50 us takes a millisecond.</summary>
    private sealed class SlowChannel(int delayMicroseconds) : MessageChannel
    {
        private readonly long _delay = delayMicroseconds * Stopwatch.Frequency / 1_000_000;
        private long _bytes;

        public override string RemoteName => "nobody";

        public long Bytes => Volatile.Read(ref _bytes);

        public void Write(int bytes)
        {
            for (var end = Stopwatch.GetTimestamp() + _delay; Stopwatch.GetTimestamp() < end;)
                Thread.SpinWait(10);
            Volatile.Write(ref _bytes, _bytes + bytes); // one writer at a time
        }

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
        {
            Write(frames.Length);
            return default;
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override void Abort()
        {
        }

        public override ValueTask DisposeAsync() => default;
    }
}
