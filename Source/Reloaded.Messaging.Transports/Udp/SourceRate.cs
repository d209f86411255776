namespace Reloaded.Messaging;

/// <summary>Limits the number of operations per second, for each source and for all sources together.</summary>
/// <remarks>
/// Both limits are token buckets that hold the tokens of one second and fill continuously. A source at its limit can therefore continue before the second has passed.
/// The first <see cref="FirstPerSecond"/> operations of a source in a second may take all tokens of the limit for all sources, and further operations only half of
/// them. A source with few operations is therefore served while many sources are at their limits.
/// The memory is constant. Sources with the same hash share a slot. The hash differs between processes, so a source cannot choose its
/// slot. Not thread-safe. Does not allocate.
/// </remarks>
/// <param name="time">Measures the time.</param>
/// <param name="perSource">The limit of a source, in operations per second.</param>
/// <param name="inAll">The limit of all sources, in operations per second.</param>
internal sealed class SourceRate(TimeProvider time, int perSource, int inAll)
{
    /// <summary>The operations of a source in a second that come before further operations of other sources.</summary>
    public const int FirstPerSecond = 4;

    private const int Slots = 16_384; // at 1,000 sources beyond their limits, a source shares a slot with one of them by a chance of 6 %

    private readonly long _begun = time.GetTimestamp();
    private readonly (Bucket Own, Bucket First)[] _slots = new (Bucket, Bucket)[Slots]; // the system provides the memory of a slot at its first use
    private Bucket _all;

    /// <summary>Takes one token from the limit of a source, and then one from the limit of all sources.</summary>
    /// <param name="source">The source, as <see cref="UdpSocket.SourceOf"/> returns it.</param>
    /// <returns><see langword="true"/> if both limits allow the operation; otherwise, <see langword="false"/>. A source above its limit takes no token from the limit of all sources.</returns>
    public bool TryTake(ReadOnlySpan<byte> source)
    {
        var hash = default(HashCode);
        hash.AddBytes(source);
        ref var slot = ref _slots[(uint)hash.ToHashCode() % Slots];
        var now = time.GetElapsedTime(_begun).Ticks;
        return slot.Own.TryTake(now, perSource, TimeSpan.TicksPerSecond)
            && _all.TryTake(now, inAll, slot.First.TryTake(now, FirstPerSecond, TimeSpan.TicksPerSecond) ? TimeSpan.TicksPerSecond : TimeSpan.TicksPerSecond / 2);
    }

    /// <summary>A token bucket. It is full at the beginning.</summary>
    private struct Bucket
    {
        private long _fullAt; // in ticks

        /// <param name="now">The time, in ticks.</param>
        /// <param name="perSecond">The tokens that the bucket receives per second.</param>
        /// <param name="depth">The part of the bucket that may be taken, as the ticks in which it fills.</param>
        public bool TryTake(long now, int perSecond, long depth)
        {
            var fullAt = Math.Max(_fullAt, now) + (TimeSpan.TicksPerSecond / perSecond);
            if (fullAt - now > depth)
                return false;
            _fullAt = fullAt;
            return true;
        }
    }
}
