using System.Diagnostics;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>
/// Eight threads append messages of 512 bytes to a batch as fast as possible, while a flusher writes the whole batch to a channel again and again.
/// Each write takes a given time, in which the processor is free, and the channel discards the bytes.
/// </summary>
/// <remarks>
/// Three variants take turns in each round: a batch whose mutex is held during the write (the floor), the same batch whose mutex is released during
/// the write, and the outbox of a host.
/// </remarks>
public static class FlushFigure
{
    private const int Writers = 8;
    private const int MaxPending = 4 << 20;
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(250);

    /// <summary>The number of rounds.</summary>
    public const int Rounds = 5;

    /// <summary>The result of one round: the number of written messages per second, and the 99th percentile of the time of an append, in nanoseconds.</summary>
    public readonly record struct Round(double Delivered, double P99);

    /// <param name="delayMicroseconds">The time that each write takes, in microseconds.</param>
    /// <param name="packs">Whether each message is packed from its fields first. If <c>false</c>, all appends use the same packed message.</param>
    public static (List<Round> Held, List<Round> Released, List<Round> Ours) Measure(int delayMicroseconds, bool packs)
    {
        var (held, released, ours) = (new List<Round>(), new List<Round>(), new List<Round>());
        (List<Round> Results, Func<SlowChannel, IFlushed> Make)[] variants =
        [
            (held, static channel => new LockedBatch(channel, MaxPending, isHeldWhileWriting: true)),
            (released, static channel => new LockedBatch(channel, MaxPending, isHeldWhileWriting: false)),
            (ours, static channel => new HostOutbox(channel, MaxPending)),
        ];
        for (var round = -1; round < Rounds; round++)
        {
            for (var i = 0; i < variants.Length; i++)
            {
                var (results, make) = variants[(i + round + 1) % variants.Length];
                var result = Run(new SlowChannel(delayMicroseconds), make, packs);
                if (round >= 0)
                    results.Add(result);
            }
        }

        return (held, released, ours);
    }

    /// <summary>Returns the ratio of the delivered messages, for each round.</summary>
    public static List<double> RatiosOf(List<Round> rounds, List<Round> floor) => [.. rounds.Zip(floor, static (one, other) => one.Delivered / other.Delivered)];

    private static Round Run(SlowChannel channel, Func<SlowChannel, IFlushed> make, bool packs)
    {
        using var batch = make(channel);
        var writer = new MessageWriter();
        var packet = new FlushPacket(1, 2, new byte[497]); // 512 bytes with the header
        using var ready = writer.Pack(packet);
        var size = ready.Length;
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
                        Append(packed.Span);
                    }
                    else
                    {
                        Append(ready.Span);
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
        var all = times.SelectMany(static own => own).Order().ToList();
        return new Round(delivered, all[(int)(all.Count * 0.99)]);

        void Append(ReadOnlySpan<byte> message)
        {
            if (!batch.TryAppend(message))
                Thread.Yield();
        }
    }

    /// <summary>The outbox of a host. It flushes itself on the thread pool.</summary>
    private sealed class HostOutbox(SlowChannel channel, int maxPending) : IFlushed
    {
        private readonly Outbox _outbox = new StreamOutbox(channel, maxPending, static _ => { }, CancellationToken.None);

        public bool TryAppend(ReadOnlySpan<byte> message)
        {
            var frame = new OutgoingFrame(message);
            return _outbox.Append(ref frame) != SendStatus.Full;
        }

        public void Dispose() => _outbox.Close();
    }
}
