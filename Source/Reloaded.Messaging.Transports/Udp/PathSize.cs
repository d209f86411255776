namespace Reloaded.Messaging;

/// <summary>The size of the datagrams that the path carries, as in RFC 8899 (DPLPMTUD). Not thread-safe.</summary>
/// <remarks>
/// A router may drop large datagrams without a report. When datagrams of some size were lost in three round trips, and none of that size has arrived, the size becomes the
/// smallest one. Probes then find the largest size that arrives: pings that fill a datagram. Sizes are in bytes, without the headers of IP and UDP.
/// </remarks>
/// <param name="largest">The largest size.</param>
internal sealed class PathSize(int largest)
{
    /// <summary>The smallest size: a path of IPv4 carries at least 576 bytes with the headers.</summary>
    public const int Smallest = 540;

    private const int Step = 50; // a router with an MTU of 1,200 bytes carries the largest size without it
    private const int Rounds = 3;
    private const long FirstInterval = TimeSpan.TicksPerSecond;
    private const long LongestInterval = 64 * TimeSpan.TicksPerSecond;

    private int _lostRounds;
    private int _smallestLost;
    private ulong _roundEnd;
    private long _interval;

    /// <summary>The largest size. An unreliable message of this size is sent also if the path is not known to carry it.</summary>
    public int Largest { get; } = largest;

    /// <summary>The size of the datagrams that are sent.</summary>
    public int Current { get; private set; } = largest;

    /// <summary>The time of the next probe; <see cref="long.MaxValue"/> for none.</summary>
    public long ProbeAt { get; private set; } = long.MaxValue;

    /// <summary>The size of the next probe.</summary>
    public int Next => Current < Largest - Step ? Largest - Step : Largest;

    /// <summary>Records that a datagram has arrived. A larger one raises the size.</summary>
    public void NoteAcknowledged(int size, long now)
    {
        if (size >= _smallestLost)
            _lostRounds = 0;
        if (size + DatagramFormat.PartHeader <= Next || Current == Largest)
            return; // a probe is smaller than its size by less than a ping
        Current = size + DatagramFormat.PartHeader > Largest ? Largest : Next;
        (_interval, ProbeAt) = (FirstInterval, Current == Largest ? long.MaxValue : now);
    }

    /// <summary>Records that a datagram was lost.</summary>
    /// <param name="size">The size of the datagram.</param>
    /// <param name="number">The number of the datagram.</param>
    /// <param name="next">The number of the next datagram.</param>
    /// <param name="now">The current time.</param>
    public void NoteLost(int size, ulong number, ulong next, long now)
    {
        if (size <= Smallest || size > Current)
            return;
        _smallestLost = _lostRounds == 0 ? size : Math.Min(_smallestLost, size);
        if (_lostRounds > 0 && number < _roundEnd)
            return;
        _roundEnd = next;
        if (++_lostRounds < Rounds)
            return;
        _lostRounds = 0;
        (Current, _interval, ProbeAt) = (Smallest, FirstInterval, now);
    }

    /// <summary>Records that a probe is sent. If it does not arrive, the next one follows later.</summary>
    public void NoteProbe(long now) => (ProbeAt, _interval) = (now + _interval, Math.Min(2 * _interval, LongestInterval));
}
