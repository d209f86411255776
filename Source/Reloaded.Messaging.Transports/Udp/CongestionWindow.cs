using System;

namespace Reloaded.Messaging;

/// <summary>Limits the bytes in flight of one direction, and spreads them over time. Not thread-safe.</summary>
/// <remarks>
/// A model of the path, as in BBR (draft-cardwell-iccrg-bbr-congestion-control-00): the rate at which bytes were delivered, at most, and the shortest round trip. Their product
/// fills the path without a queue. A loss does not reduce the window, because wireless paths lose datagrams that no queue was too short for. A path that loses a third of
/// the bytes, or keeps a queue, carries less than was sent: then only the newest rates count, also those that the program limited.
/// Times are ticks of <see cref="TimeSpan"/>, and rates are bytes per tick.
/// </remarks>
/// <param name="packetSize">The size of the largest datagram, in bytes.</param>
internal sealed class CongestionWindow(int packetSize)
{
    /// <summary>The largest window (bytes).</summary>
    public const int MaxSize = 8 << 20;

    private const double StartupGain = 2.885; // 2 / ln 2: the rate doubles in each round trip
    private const double CruiseGain = 2; // room for acknowledgements that are delayed or arrive together
    private const double FullGrowth = 1.25;
    private const int FullRounds = 3;
    private const int RateRounds = 10;
    private const int JudgedPackets = 32;
    private const int MinRatedPackets = 8;
    private const long MinQueue = 100 * TimeSpan.TicksPerMillisecond;
    private const int MaxQueue = 3; // round trips; the window of a startup fills almost as many
    private const int InitialPackets = 10;
    private const int MinPackets = 4;
    private const int MinBurst = 3;
    private const int MinLocalPackets = 64; // a round trip below the precision of timers says little about the path
    private const long RoundTripLifetime = 10 * TimeSpan.TicksPerSecond;
    private const long MaxLateness = 20 * TimeSpan.TicksPerMillisecond;
    private const long RoundTripProbe = 200 * TimeSpan.TicksPerMillisecond;

    private readonly double[] _rates = new double[RateRounds]; // the largest rate of each of the last rounds
    private Mode _mode = Mode.Startup;
    private double _size = InitialPackets * packetSize;
    private double _rate;
    private double _fullRate;
    private int _fullRounds;
    private bool _isFull;
    private long _round;
    private long _roundEnd;
    private int _phase;
    private long _phaseAt;
    private long _shortest = long.MaxValue;
    private long _shortestAt;
    private long _probeEnd;

    // the delivery rate
    private long _delivered;
    private long _deliveredAt;
    private long _firstSentAt;
    private long _limitedUntil = -1; // the number of delivered bytes up to which the program limits the rate
    private SentPacket _newest;
    private int _acknowledged;

    // since the last judgment
    private long _judged; // the delivered bytes at that time
    private long _lost;
    private long _judgedShortest = long.MaxValue;
    private bool _isOverloaded;

    // pacing
    private double _tokens = InitialPackets * packetSize;
    private long _filled;

    private enum Mode
    {
        /// <summary>The rate grows until the path is full.</summary>
        Startup,

        /// <summary>The queue of the startup is emptied.</summary>
        Drain,

        /// <summary>The rate is kept, and a higher one is tried from time to time.</summary>
        Cruise,

        /// <summary>The queue is emptied to measure the round trip.</summary>
        ProbeRoundTrip,
    }

    /// <summary>The bytes that may be in flight.</summary>
    public int Size => (int)Math.Min(_mode == Mode.ProbeRoundTrip ? Math.Max(MinSize, Product / 2) : _size, MaxSize);

    /// <summary>The gain of each phase in which the path is full: try more, empty the queue, and then keep the rate.</summary>
    private static ReadOnlySpan<double> PhaseGains => [1.25, 0.75, 1, 1, 1, 1, 1, 1];

    /// <summary>The bytes that fill the path.</summary>
    private double Product => _shortest == long.MaxValue ? InitialPackets * packetSize : _rate * _shortest;

    private double MinSize => (_shortest < TimeSpan.TicksPerMillisecond ? MinLocalPackets : MinPackets) * packetSize;

    private double PacingGain => _mode switch
    {
        Mode.Startup => StartupGain,
        Mode.Drain => 1 / StartupGain,
        Mode.Cruise => PhaseGains[_phase],
        _ => 1,
    };

    /// <summary>Records a datagram that is sent, and notes in it what its acknowledgement will be compared with.</summary>
    public void NoteSent(ref SentPacket packet, int inFlight)
    {
        if (inFlight == 0)
            _firstSentAt = _deliveredAt = packet.SentAt;
        (packet.Delivered, packet.DeliveredAt, packet.FirstSentAt, packet.IsLimited) = (_delivered, _deliveredAt, _firstSentAt, _limitedUntil >= _delivered);
        _tokens = Math.Max(_tokens - packet.Size, -packetSize);
    }

    /// <summary>Records that the program, and not the path, limits the rate.</summary>
    public void NoteLimited(int inFlight) => _limitedUntil = _delivered + inFlight;

    /// <summary>Adds an acknowledged datagram. <see cref="EndAcknowledgement"/> follows.</summary>
    public void NoteAcknowledged(in SentPacket packet, long now)
    {
        _delivered += packet.Size;
        _deliveredAt = now;
        _acknowledged += packet.Size;
        if (packet.SentAt >= _newest.SentAt)
            _newest = packet;
    }

    /// <summary>Adds a lost datagram.</summary>
    /// <param name="size">The size; negative if the datagram has arrived after it was added.</param>
    public void NoteLost(int size) => _lost += size;

    /// <summary>Adds a measurement of the round trip.</summary>
    public void NoteRoundTrip(long roundTrip, long now)
    {
        _judgedShortest = Math.Min(_judgedShortest, roundTrip);
        var isExpired = _shortest != long.MaxValue && now - _shortestAt > RoundTripLifetime;
        if (roundTrip <= _shortest || isExpired)
            (_shortest, _shortestAt) = (roundTrip, now);
        if (isExpired && _mode == Mode.Cruise)
            (_mode, _probeEnd) = (Mode.ProbeRoundTrip, now + Math.Max(RoundTripProbe, roundTrip));
    }

    /// <summary>Updates the model after the datagrams of an acknowledgement were added.</summary>
    /// <param name="inFlight">The bytes that are still in flight.</param>
    /// <param name="now">The current time.</param>
    public void EndAcknowledgement(int inFlight, long now)
    {
        if (_acknowledged == 0)
            return;
        _firstSentAt = _newest.SentAt;
        var isRound = _newest.Delivered >= _roundEnd;
        if (isRound)
        {
            _roundEnd = _delivered;
            _rates[++_round % RateRounds] = 0;
        }

        Judge();

        AddRate(_delivered - _newest.Delivered, _newest.SentAt - _newest.FirstSentAt, now - _newest.DeliveredAt);
        if (isRound && !_isFull && !_newest.IsLimited)
            CheckFull();
        Advance(inFlight, now);
        Grow();
        (_newest, _acknowledged) = (default, 0);
    }

    /// <summary>Begins again with the smallest window, because the path has carried nothing for a long time.</summary>
    public void NotePersistentCongestion() => _size = MinPackets * packetSize;

    /// <summary>Returns when a datagram may be sent: at the latest <paramref name="now"/> if at once.</summary>
    public long NextSend(long now)
    {
        if (_rate == 0 || _shortest < TimeSpan.TicksPerMillisecond)
            return now;
        var rate = _isFull ? _rate * PacingGain : StartupGain * Math.Max(_rate, InitialPackets * packetSize / (double)_shortest); // few small messages do not show what the path carries
        _tokens = Math.Min(_tokens + ((now - _filled) * rate), Math.Max(MinBurst * packetSize, rate * MaxLateness)); // a timer may be late, and the bytes of that time are sent together
        _filled = now;
        return _tokens >= packetSize ? now : now + (long)((packetSize - _tokens) / rate) + 1;
    }

    /// <summary>Adds the rate of bytes that were sent in one interval and acknowledged in another.</summary>
    private void AddRate(long bytes, long sent, long acknowledged)
    {
        var interval = Math.Max(sent, acknowledged);
        if (interval <= 0 || interval < _shortest / 2)
            return;
        var rate = bytes / (double)interval;
        var isOfPath = _isOverloaded ? bytes >= MinRatedPackets * packetSize && sent < 1.5 * acknowledged : !_newest.IsLimited; // a window that waits for losses says nothing of the path
        if (!isOfPath && rate <= _rate)
            return;
        ref var slot = ref _rates[_round % RateRounds];
        slot = Math.Max(slot, rate);
        _rate = 0;
        foreach (var one in _rates)
            _rate = Math.Max(_rate, one);
    }

    /// <summary>Learns whether the path carries less than was sent: whether a third of the last bytes was lost, or each of them has waited in a queue.</summary>
    private void Judge()
    {
        var arrived = _delivered - _judged;
        if (arrived + _lost < JudgedPackets * packetSize || _judgedShortest == long.MaxValue)
            return;
        _isOverloaded = _lost > arrived / 2 || _judgedShortest > (MaxQueue * _shortest) + MinQueue;
        _isFull |= _isOverloaded;
        if (_isOverloaded)
            Array.Clear(_rates); // the path no longer carries them
        (_judged, _lost, _judgedShortest) = (_delivered, 0, long.MaxValue);
    }

    private void CheckFull()
    {
        if (_rate >= _fullRate * FullGrowth)
            (_fullRate, _fullRounds) = (_rate, 0);
        else if (++_fullRounds >= FullRounds)
            _isFull = true;
    }

    private void Advance(int inFlight, long now)
    {
        switch (_mode)
        {
            case Mode.Startup when _isFull:
                _mode = Mode.Drain;
                break;
            case Mode.Drain when inFlight <= Product:
                (_mode, _phase, _phaseAt) = (Mode.Cruise, 2, now);
                break;
            case Mode.Cruise when IsPhaseOver(inFlight, now):
                (_phase, _phaseAt) = ((_phase + 1) % PhaseGains.Length, now);
                break;
            case Mode.ProbeRoundTrip when now >= _probeEnd:
                (_mode, _phase, _phaseAt) = (Mode.Cruise, 2, now);
                break;
        }
    }

    private bool IsPhaseOver(int inFlight, long now)
    {
        var isOver = now - _phaseAt > _shortest;
        return PhaseGains[_phase] < 1 ? isOver || inFlight <= Product : isOver;
    }

    private void Grow()
    {
        var target = Math.Max(MinSize, ((_isFull ? CruiseGain : StartupGain) * Product) + (3 * packetSize));
        if (_isFull)
            _size = Math.Min(_size + _acknowledged, target);
        else if (_size < target)
            _size += _acknowledged;
    }
}
