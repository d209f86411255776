using System;

namespace Reloaded.Messaging;

/// <summary>Limits how often something is done per second, for each source and for all sources together.</summary>
/// <remarks>
/// Both limits are buckets that hold a second's worth and fill continuously: a source at its limit is not shut out for the rest of a second.
/// The memory is constant. Sources share a slot if their hashes do; the hash differs from process to process, so a source can't choose its
/// slot. One thread at a time. Allocates nothing.
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

    /// <summary>Takes one from the limit of a source, and then from the limit of all sources.</summary>
    /// <param name="source">The source, as <see cref="UdpSocket.SourceOf"/> returns it.</param>
    /// <returns><see langword="true"/> if both limits allow it; otherwise, <see langword="false"/>. A source beyond its limit takes nothing from the limit of all.</returns>
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
