using System;

namespace Reloaded.Messaging;

/// <summary>Limits the bytes in flight of one direction, and spreads them over time. Not thread-safe.</summary>
/// <remarks>
/// A model of the path, as in BBR (draft-ietf-ccwg-bbr-04): the rate at which bytes are delivered, at most, and the shortest round trip. Their product fills the path without a queue.
/// The model differs from BBR in what it forgets, and when. Losses that are the same at a lower rate belong to the path, which is then filled with so much more. Other losses,
/// and round trips that the window cannot explain, show that the path has changed.
/// Times are ticks of <see cref="TimeSpan"/>, and rates are bytes per tick.
/// </remarks>
/// <param name="packetSize">The size of the largest datagram, in bytes.</param>
internal sealed class CongestionWindow(int packetSize)
{
    /// <summary>The largest window (bytes).</summary>
    public const int MaxSize = 8 << 20;

    private const double StartupGain = 2.77; // 4 ln 2: the rate doubles in each round trip
    private const double DrainGain = 0.35;
    private const double UpGain = 1.25;
    private const double DownGain = 0.75;
    private const double WindowGain = 2; // room for acknowledgements that are delayed or arrive together
    private const double FullGrowth = 1.25;
    private const int FullRounds = 3;
    private const double FoundGrowth = 1.15;
    private const int CruiseRounds = 4;
    private const int RateRounds = 10;
    private const int Blocks = 8;
    private const int BlockPackets = 32;
    private const double ExcessLoss = 0.1;
    private const double MaxFloor = 0.25;
    private const double QueueShare = 0.5;
    private const double Unexplained = 1.25;
    private const int InitialPackets = 10;
    private const int MinPackets = 4;
    private const int MinBurst = 3;
    private const int MinLocalPackets = 64; // a round trip below the precision of timers says little about the path
    private const long RoundTripLifetime = 3 * TimeSpan.TicksPerSecond;
    private const long MaxLateness = 20 * TimeSpan.TicksPerMillisecond;
    private const long RoundTripProbe = 200 * TimeSpan.TicksPerMillisecond;

    private readonly double[] _rates = new double[RateRounds]; // the largest rate of each of the last rounds
    private readonly double[] _extras = new double[RateRounds];
    private readonly double[] _losses = new double[Blocks]; // the share of lost bytes of each of the last blocks
    private Mode _mode = Mode.Startup;
    private double _size = InitialPackets * packetSize;
    private double _rate;
    private double _fullRate;
    private int _fullRounds;
    private bool _isFull;
    private long _round;
    private long _roundEnd;
    private int _modeRounds;
    private double _upRate;
    private long _shortest = long.MaxValue;
    private long _shortestAt;

    // a probe of the round trip
    private bool _isUnexplained;
    private double _probeRate;
    private long _probeEnd;
    private long _probeShortest;

    // the delivery rate
    private long _delivered;
    private long _deliveredAt;
    private long _firstSentAt;
    private long _limitedUntil = -1; // the number of delivered bytes up to which the program limits the rate
    private SentPacket _newest;
    private int _acknowledged;

    // acknowledgements that arrive together
    private long _extraSince;
    private double _extraBytes;
    private double _extra;

    // since the last judgment
    private long _judged; // the delivered bytes at that time
    private long _lost;
    private long _blockShortest = long.MaxValue;
    private double _blockRate;
    private int _block;
    private double _floor;
    private long _probedRoundTrip;
    private long _blockSum;
    private int _blockSamples;
    private long _judgedAt;

    // pacing
    private double _tokens = InitialPackets * packetSize;
    private long _filled;

    private enum Mode
    {
        /// <summary>The rate doubles in each round trip until the path is full.</summary>
        Startup,

        /// <summary>The queue of the startup is emptied.</summary>
        Drain,

        /// <summary>A higher rate is tried.</summary>
        Up,

        /// <summary>The queue of the trial is emptied.</summary>
        Down,

        /// <summary>The rate is kept.</summary>
        Cruise,

        /// <summary>The queue is emptied to measure the round trip.</summary>
        ProbeRoundTrip,
    }

    /// <summary>The bytes that may be in flight.</summary>
    public int Size => (int)Math.Min(_mode == Mode.ProbeRoundTrip ? Math.Max(MinSize, _probeRate * _shortest / 2) : _size, MaxSize);

    /// <summary>The bytes that fill the path.</summary>
    private double Product => _shortest == long.MaxValue ? InitialPackets * packetSize : _rate * _shortest;

    private double MinSize => (_shortest < TimeSpan.TicksPerMillisecond ? MinLocalPackets : MinPackets) * packetSize;

    private double Target => Math.Max(MinSize, (WindowGain * Product) + _extra);

    private double PacingGain => _mode switch
    {
        Mode.Startup => StartupGain,
        Mode.Drain => DrainGain,
        Mode.Up => UpGain,
        Mode.Down => DownGain,
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
        _blockShortest = Math.Min(_blockShortest, roundTrip);
        _blockSum += roundTrip;
        _blockSamples++;
        _probeShortest = Math.Min(_probeShortest, roundTrip);
        if (_shortest == long.MaxValue || roundTrip <= _shortest * 1.125)
            (_shortest, _shortestAt) = (Math.Min(_shortest, roundTrip), now);
        else if (now - _shortestAt > RoundTripLifetime && _isFull && _mode != Mode.ProbeRoundTrip)
            StartProbe(_rate, isUnexplained: false);
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
            _round++;
            _modeRounds++;
            if (!_newest.IsLimited)
                _rates[_round % RateRounds] = 0;
            _extras[_round % RateRounds] = 0;
        }

        AddRate(_delivered - _newest.Delivered, Math.Max(_newest.SentAt - _newest.FirstSentAt, now - _newest.DeliveredAt));
        AddExtra(now);
        Judge(now);
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
        var rate = PacingGain * (_isFull ? _rate : Math.Max(_rate, InitialPackets * packetSize / (double)_shortest)) / (1 - _floor); // few small messages do not show what the path carries
        _tokens = Math.Min(_tokens + ((now - _filled) * rate), Math.Max(MinBurst * packetSize, rate * MaxLateness)); // a timer may be late, and the bytes of that time are sent together
        _filled = now;
        return _tokens >= packetSize ? now : now + (long)((packetSize - _tokens) / rate) + 1;
    }

    private static double MaxOf(double[] values)
    {
        var most = 0.0;
        foreach (var value in values)
            most = Math.Max(most, value);
        return most;
    }

    /// <summary>Adds the rate of bytes that were sent in one interval and acknowledged in another.</summary>
    private void AddRate(long bytes, long interval)
    {
        if (interval <= 0 || interval < _shortest / 2)
            return;
        var rate = bytes / (double)interval;
        _blockRate = Math.Max(_blockRate, rate);
        if (_newest.IsLimited && rate <= _rate)
            return;
        ref var slot = ref _rates[_round % RateRounds];
        slot = Math.Max(slot, rate);
        _rate = MaxOf(_rates);
    }

    private void AddExtra(long now)
    {
        _extraBytes += _acknowledged;
        var expected = _rate * (now - _extraSince);
        if (_extraBytes <= expected)
            (_extraSince, _extraBytes, expected) = (now, _acknowledged, 0);
        ref var slot = ref _extras[_round % RateRounds];
        slot = Math.Max(slot, Math.Min(_extraBytes - expected, Product));
        _extra = MaxOf(_extras);
    }

    private void Judge(long now)
    {
        var arrived = _delivered - _judged;
        if (now - _judgedAt < _shortest || arrived + _lost < BlockPackets * packetSize || _blockShortest == long.MaxValue)
            return;
        if (_block == 0)
            Array.Fill(_losses, MaxFloor);
        var loss = Math.Max(0, _lost / (double)(arrived + _lost));
        var excess = ExcessLoss + (1 / Math.Sqrt((arrived + _lost) / packetSize));
        if (_block > 0 && loss > _floor + excess)
        {
            Forget(_blockRate);
            Array.Fill(_losses, MaxFloor);
            Enter(Mode.Drain);
        }
        else if (_mode != Mode.ProbeRoundTrip && _rate > 0 && _blockShortest > Unexplained * (Math.Max(MinSize, WindowGain * Product)) / _rate)
            StartProbe(_blockRate, isUnexplained: true);
        _losses[_block++ % Blocks] = loss;
        var floor = MaxFloor;
        foreach (var one in _losses)
            floor = Math.Min(floor, one);
        _floor = floor;
        (_judged, _judgedAt, _lost, _blockShortest, _blockRate, _blockSum, _blockSamples) = (_delivered, now, 0, long.MaxValue, 0, 0, 0);
    }

    private void Forget(double rate)
    {
        if (rate == 0)
            return;
        _isFull = true;
        Array.Clear(_rates);
        _rates[_round % RateRounds] = _rate = rate;
    }

    private void StartProbe(double rate, bool isUnexplained)
    {
        _probedRoundTrip = _blockSamples > 0 ? _blockSum / _blockSamples : 0;
        Enter(Mode.ProbeRoundTrip);
        (_isUnexplained, _probeRate, _probeEnd) = (isUnexplained, rate, 0);
        _isFull = true;
    }

    private void Enter(Mode mode) => (_mode, _modeRounds) = (mode, 0);

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
                Enter(Mode.Drain);
                break;
            case Mode.Drain when inFlight <= Product || _modeRounds >= 3:
                Enter(Mode.Cruise);
                break;
            case Mode.Cruise when _modeRounds >= CruiseRounds:
                Enter(Mode.Up);
                _upRate = _rate;
                break;
            case Mode.Up when _modeRounds >= 2:
                Enter(Mode.Down);
                break;
            case Mode.Down when _modeRounds >= 1 && (inFlight <= Product || _modeRounds >= 3):
                Enter(Mode.Cruise);
                if (_rate > _upRate * FoundGrowth)
                {
                    Enter(Mode.Startup);
                    (_isFull, _fullRate, _fullRounds) = (false, _rate, FullRounds - 2);
                }

                break;
            case Mode.ProbeRoundTrip:
                Probe(inFlight, now);
                break;
        }
    }

    private void Probe(int inFlight, long now)
    {
        if (_probeEnd == 0)
        {
            if (inFlight > Size)
                return;
            (_probeEnd, _probeShortest, _modeRounds) = (now + RoundTripProbe, long.MaxValue, 0);
            _roundEnd = _delivered;
            return;
        }

        if (_modeRounds < 1 || (now < _probeEnd && !_isUnexplained) || _probeShortest == long.MaxValue)
            return;
        if (_isUnexplained && _probeShortest < QueueShare * _probedRoundTrip)
            Forget(_probeRate); // it was a queue
        (_shortest, _shortestAt) = (_probeShortest, now);
        _size = Target;
        Enter(Mode.Cruise);
    }

    private void Grow()
    {
        if (_isFull)
            _size = Math.Min(_size + _acknowledged, Target);
        else if (_size < Target)
            _size += _acknowledged;
    }
}
