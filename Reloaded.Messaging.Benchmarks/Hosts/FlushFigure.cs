using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Eight threads send messages of 512 bytes as fast as possible to a channel. Each write of the channel takes a given time, and the channel discards the bytes.</summary>
public static class FlushFigure
{
    private const int Writers = 8;
    private const int Rounds = 5;
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(250);

    /// <summary>The result of one round: the number of written messages per second, and the 99th percentile of the time of a send, in nanoseconds.</summary>
    public readonly record struct Round(double Delivered, double P99);

    /// <param name="delayMicroseconds">The time that each write takes, in microseconds.</param>
    /// <param name="outsideOfLock">Whether only the append is under a lock. If <c>false</c>, the write is under the lock too.</param>
    /// <param name="packs">Whether each message is packed from its fields first. If <c>false</c>, all sends use the same packed message.</param>
    public static List<Round> Measure(int delayMicroseconds, bool outsideOfLock, bool packs)
    {
        Run(delayMicroseconds, outsideOfLock, packs);
        return [.. Enumerable.Range(0, Rounds).Select(_ => Run(delayMicroseconds, outsideOfLock, packs))];
    }

    private static Round Run(int delayMicroseconds, bool outsideOfLock, bool packs)
    {
        var channel = new SlowChannel(delayMicroseconds);
        var outbox = new Outbox(channel, 4 << 20, static _ => { }, CancellationToken.None);
        var writer = new MessageWriter();
        var packet = new FlushPacket(1, 2, new byte[497]); // 512 bytes with the header
        using var ready = writer.Pack(packet);
        var size = ready.Length;
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
                    if (packs)
                    {
                        using var packed = writer.Pack(packet);
                        Send(packed.Span);
                    }
                    else
                    {
                        Send(ready.Span);
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
        var delivered = channel.Bytes / (double)size / watch.Elapsed.TotalSeconds;
        Array.ForEach(threads, static thread => thread.Join());
        outbox.Close();
        var all = times.SelectMany(static own => own).Order().ToList();
        return new Round(delivered, all[(int)(all.Count * 0.99)]);

        void Send(ReadOnlySpan<byte> message)
        {
            if (outsideOfLock)
            {
                if (outbox.TryAppend(message, isSecret: false) == SendStatus.Full)
                    Thread.Yield();
                return;
            }

            lock (gate)
                channel.Write(message.Length);
        }
    }

    /// <summary>Waits by polling the clock, because a sleep is too coarse for microseconds.</summary>
    private sealed class SlowChannel(int delayMicroseconds) : TransportChannel
    {
        private readonly long _delay = delayMicroseconds * Stopwatch.Frequency / 1_000_000;
        private long _bytes;

        public override string RemoteName => "nobody";

        public long Bytes => Volatile.Read(ref _bytes);

        public void Write(int bytes)
        {
            for (var end = Stopwatch.GetTimestamp() + _delay; Stopwatch.GetTimestamp() < end;)
                Thread.SpinWait(10);
            Volatile.Write(ref _bytes, _bytes + bytes); // only one thread writes at a time
        }

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
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
