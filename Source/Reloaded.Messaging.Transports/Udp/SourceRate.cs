using System;

namespace Reloaded.Messaging;

/// <summary>Limits the number of operations per second, for each source and for all sources together.</summary>
/// <remarks>
/// Both limits are token buckets that hold the tokens of one second and fill continuously. A source at its limit can therefore continue before the second has passed.
/// The memory is constant. Sources with the same hash share a slot. The hash differs between processes, so a source cannot choose its
/// slot. Not thread-safe. Does not allocate.
/// </remarks>
internal sealed class SourceRate
{
    private const int Slots = 1024;

    private static readonly TimeSpan s_burst = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly Slot[] _slots = new Slot[Slots];
    private Slot _all;

    public SourceRate(TimeProvider time, int perSource, int inAll)
    {
        _time = time;
        var now = time.GetTimestamp();
        _all = new Slot(inAll, now);
        _slots.AsSpan().Fill(new Slot(perSource, now));
    }

    /// <summary>Takes one token from the limit of a source, and then one from the limit of all sources.</summary>
    /// <param name="source">The source, as <see cref="UdpSocket.SourceOf"/> returns it.</param>
    /// <returns><see langword="true"/> if both limits allow the operation; otherwise, <see langword="false"/>. A source above its limit takes no token from the limit of all sources.</returns>
    public bool TryTake(ReadOnlySpan<byte> source)
    {
        var hash = default(HashCode);
        hash.AddBytes(source);
        return _slots[(uint)hash.ToHashCode() % Slots].TryTake(_time) && _all.TryTake(_time);
    }

    private struct Slot(int perSecond, long now)
    {
        private TokenBucket _bucket = new(perSecond, s_burst);
        private long _filled = now;

        public bool TryTake(TimeProvider time)
        {
            var now = time.GetTimestamp();
            _bucket.Fill(time.GetElapsedTime(_filled, now));
            _filled = now;
            return _bucket.TryTake(1);
        }
    }
}
