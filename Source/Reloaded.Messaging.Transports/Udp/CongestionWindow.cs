namespace Reloaded.Messaging;

/// <summary>Limits the bytes in flight of one direction, and spreads them over time. Not thread-safe.</summary>
/// <remarks>
/// A model of the path, as in BBR (draft-ietf-ccwg-bbr-04): the rate at which bytes are delivered, at most, and the shortest round trip. Their product fills the path without a queue.
/// It differs from BBR in what it forgets, and when. Losses that remain at a lower rate belong to the path, and the path is then filled with more bytes. Other losses, and round trips
/// that the window does not explain, show that the path has changed. Losses while a queue stands show that others use the path.
/// Times are ticks of <see cref="TimeSpan"/>, and rates are bytes per tick.
/// </remarks>
/// <param name="packetSize">The size of the largest datagram, in bytes.</param>
internal sealed class CongestionWindow(int packetSize)
{
    /// <summary>The largest window (bytes).</summary>
    public const int MaxSize = 8 << 20;

    // of BBR: draft-ietf-ccwg-bbr-04, section 2
    private const double StartupGain = 2.77; // 4 ln 2: the rate doubles in each round trip
    private const double DrainGain = 0.35;
    private const double UpGain = 1.25;
    private const double WindowGain = 2;
    private const double FullGrowth = 1.25;
    private const int FullRounds = 3;
    private const int RateRounds = 10;
    private const double QueueLoss = 0.02;
    private const double QueueDecrease = 0.7;
    private const int InitialPackets = 10; // RFC 9002, 7.2
    private const int MinPackets = 4;
    private const int MinBurst = 3;

    // of the worlds in PathLawTests
    private const double DownGain = 0.75; // empties the queue of a round with UpGain in one round
    private const double FoundGrowth = 1.15;
    private const int CruiseRounds = 4;
    private const int UpRounds = 2;
    private const int MaxDrainRounds = 3;
    private const int JudgedPackets = 32;
    private const int Judgments = 8; // more than one cycle of Up, Down and Cruise
    private const double ExcessLoss = 0.1;
    private const double MaxPathLoss = 0.25;
    private const double Unexplained = 1.25;
    private const double QueueShare = 0.5;
    private const double QueueDelay = 1.05;
    private const double SpreadDecay = 0.9;
    private const int BoundGrowth = 32;
    private const double Near = 1.125;
    private const int MinLocalPackets = 64; // a round trip below the precision of timers says little about the path
    private const long RoundTripLifetime = 3 * TimeSpan.TicksPerSecond;
    private const long RoundTripProbe = 200 * TimeSpan.TicksPerMillisecond;
    private const long MaxLateness = 20 * TimeSpan.TicksPerMillisecond;

    private readonly double[] _rates = new double[RateRounds]; // the largest rate of each of the last rounds
    private readonly double[] _extras = new double[RateRounds]; // the most bytes that were acknowledged beyond the rate, of each of the last rounds
    private readonly double[] _losses = new double[Judgments]; // the share of lost bytes at each of the last judgments
    private Mode _mode = Mode.Startup;
    private int _modeRounds;
    private double _size = InitialPackets * packetSize;
    private double _rate;
    private double _upRate; // the rate before Up
    private double _fullRate;
    private int _fullRounds;
    private bool _isFull;
    private long _round;
    private long _roundEnd;
    private long _shortest = long.MaxValue;
    private long _shortestAt;
    private double _pathLoss; // the share of bytes that the path loses at any rate
    private double _bound = double.MaxValue; // of the window, while others use the path
    private long _boundRound;
    private double _spread; // of the round trips between two judgments; a queue of others changes more slowly than the delay of a path with jitter

    // a probe of the round trip
    private double _probeRate;
    private long _probeMean; // the mean round trip before the probe if the window did not explain it; otherwise, 0
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
    private Judged _judged = new(0, 0);
    private int _judgments;

    // pacing
    private double _tokens = InitialPackets * packetSize;
    private long _filled;

    private enum Mode
    {
        /// <summary>The rate doubles in each round trip until the path is full.</summary>
        Startup,

        /// <summary>A queue is emptied.</summary>
        Drain,

        /// <summary>The rate is kept.</summary>
        Cruise,

        /// <summary>A higher rate is tried.</summary>
        Up,

        /// <summary>The queue of the trial is emptied.</summary>
        Down,

        /// <summary>The queue is emptied to measure the round trip.</summary>
        ProbeRoundTrip,
    }

    /// <summary>The bytes that may be in flight.</summary>
    public int Size => (int)Math.Min(_mode == Mode.ProbeRoundTrip ? Math.Max(MinSize, _probeRate * _shortest / 2) : _size, MaxSize);

    /// <summary>The bytes that fill the path.</summary>
    private double Product => _shortest == long.MaxValue ? InitialPackets * packetSize : _rate * _shortest;

    private double MinSize => (_shortest < TimeSpan.TicksPerMillisecond ? MinLocalPackets : MinPackets) * packetSize;

    private double Target => Math.Max(MinSize, Math.Min((WindowGain * Product) + _extra, _bound));

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
    public void NoteLost(int size) => _judged.Lost += size;

    /// <summary>Adds a measurement of the round trip.</summary>
    public void NoteRoundTrip(long roundTrip, long now)
    {
        _judged.Add(roundTrip);
        _probeShortest = Math.Min(_probeShortest, roundTrip);
        if (_shortest == long.MaxValue || roundTrip <= _shortest * Near)
            (_shortest, _shortestAt) = (Math.Min(_shortest, roundTrip), now);
        else if (now - _shortestAt > RoundTripLifetime && _isFull && _mode != Mode.ProbeRoundTrip)
            StartProbe(_rate, mean: 0);
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
            StartRound();
        AddRate(_delivered - _newest.Delivered, Math.Max(_newest.SentAt - _newest.FirstSentAt, now - _newest.DeliveredAt));
        AddExtra(now);
        Judge(now);
        if (isRound && !_isFull && !_newest.IsLimited)
            CheckFull();
        Advance(inFlight, now);
        if (_isFull || _size < Target)
            _size = Math.Min(_size + _acknowledged, _isFull ? Target : double.MaxValue);
        (_newest, _acknowledged) = (default, 0);
    }

    /// <summary>Begins again with the smallest window, because the path has carried nothing for a long time.</summary>
    public void NotePersistentCongestion() => _size = MinPackets * packetSize;

    /// <summary>Returns when a datagram may be sent: at the latest <paramref name="now"/> if at once.</summary>
    public long NextSend(long now)
    {
        if (_rate == 0 || _shortest < TimeSpan.TicksPerMillisecond)
            return now;
        var rate = PacingGain * (_isFull ? _rate : Math.Max(_rate, InitialPackets * packetSize / (double)_shortest)) / (1 - _pathLoss); // few small messages do not show what the path carries
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

    private void StartRound()
    {
        _roundEnd = _delivered;
        _round++;
        _modeRounds++;
        if (!_newest.IsLimited)
            _rates[_round % RateRounds] = 0;
        _extras[_round % RateRounds] = 0;
        _bound += packetSize + (_bound / BoundGrowth);
    }

    /// <summary>Adds the rate of bytes that were sent and acknowledged in an interval.</summary>
    private void AddRate(long bytes, long interval)
    {
        if (interval <= 0 || interval < _shortest / 2)
            return;
        var rate = bytes / (double)interval;
        _judged.Rate = Math.Max(_judged.Rate, rate);
        if (_newest.IsLimited && rate <= _rate)
            return;
        ref var slot = ref _rates[_round % RateRounds];
        slot = Math.Max(slot, rate);
        _rate = MaxOf(_rates);
    }

    /// <summary>Adds the bytes that were acknowledged beyond the rate: after a pause, acknowledgements arrive together, and the window must last for the next pause.</summary>
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

    /// <summary>Learns from the losses and the round trips since the last judgment whether the path is another one than the model.</summary>
    private void Judge(long now)
    {
        var bytes = _delivered - _judged.Delivered + _judged.Lost;
        if (now - _judged.At < _shortest || bytes < JudgedPackets * packetSize || _judged.RoundTrips == 0)
            return;
        var loss = Math.Max(0, _judged.Lost / (double)bytes);
        if (_judgments == 0)
            Array.Fill(_losses, MaxPathLoss);
        else if (loss > _pathLoss + ExcessLoss + Math.Sqrt(packetSize / (double)bytes)) // few datagrams are lost together by chance
            Forget(_judged.Rate);
        else if (_mode != Mode.ProbeRoundTrip && _judged.Shortest * _rate > Unexplained * Math.Max(MinSize, WindowGain * Product))
            StartProbe(_judged.Rate, _judged.Sum / _judged.RoundTrips);
        _spread = Math.Max(_judged.Longest - _judged.Shortest, _spread * SpreadDecay);
        if (_judgments > 0 && loss > QueueLoss && _judged.Shortest > (QueueDelay * _shortest) + _spread)
        {
            if (_round > _boundRound)
                (_bound, _boundRound) = (Math.Max(QueueDecrease * Math.Min(_bound, _size), Product), _round + 1);
            loss = 0; // of the queue, and not of the path
        }

        _losses[_judgments++ % Judgments] = loss;
        _pathLoss = MaxPathLoss;
        foreach (var one in _losses)
            _pathLoss = Math.Min(_pathLoss, one);
        _judged = new Judged(_delivered, now);
    }

    /// <summary>Replaces the measured rates with the newest one, and measures the losses at this rate.</summary>
    private void Forget(double rate)
    {
        if (rate > 0)
        {
            Array.Clear(_rates);
            _rates[_round % RateRounds] = _rate = rate;
            _isFull = true;
        }

        Array.Fill(_losses, MaxPathLoss);
        Enter(Mode.Drain);
    }

    private void StartProbe(double rate, long mean)
    {
        Enter(Mode.ProbeRoundTrip);
        (_probeRate, _probeMean, _probeEnd, _isFull) = (rate, mean, 0, true);
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
            case Mode.Drain when inFlight <= Product || _modeRounds >= MaxDrainRounds:
                Enter(Mode.Cruise);
                break;
            case Mode.Cruise when _modeRounds >= CruiseRounds:
                Enter(Mode.Up);
                _upRate = _rate;
                break;
            case Mode.Up when _modeRounds >= UpRounds:
                Enter(Mode.Down);
                break;
            case Mode.Down when _modeRounds >= MaxDrainRounds || (_modeRounds >= 1 && inFlight <= Product):
                EndDown();
                break;
            case Mode.ProbeRoundTrip:
                Probe(inFlight, now);
                break;
        }
    }

    /// <summary>Doubles the rate in each round trip again if the path has carried the higher rate.</summary>
    private void EndDown()
    {
        var hasFound = _rate > _upRate * FoundGrowth;
        Enter(hasFound ? Mode.Startup : Mode.Cruise);
        if (hasFound)
            (_isFull, _fullRate, _fullRounds) = (false, _rate, 1);
    }

    /// <summary>Measures the round trip when no more than half of the path is filled, and for at least a round trip.</summary>
    private void Probe(int inFlight, long now)
    {
        if (_probeEnd == 0)
        {
            if (inFlight <= Size)
                (_probeEnd, _probeShortest, _modeRounds, _roundEnd) = (now + (_probeMean > 0 ? 0 : RoundTripProbe), long.MaxValue, 0, _delivered);
            return;
        }

        if (_modeRounds < 1 || now < _probeEnd || _probeShortest == long.MaxValue)
            return;
        if (_probeShortest < QueueShare * _probeMean)
            Forget(_probeRate); // it was a queue, and the path carries less than before
        Enter(Mode.Cruise);
        (_shortest, _shortestAt) = (_probeShortest, now);
        _size = Target;
    }

    /// <summary>The measurements since a judgment.</summary>
    private struct Judged(long delivered, long at)
    {
        public readonly long Delivered = delivered;
        public readonly long At = at;
        public long Lost;
        public double Rate;
        public int RoundTrips;
        public long Sum;
        public long Longest;

        public long Shortest { get; private set; } = long.MaxValue;

        public void Add(long roundTrip)
        {
            RoundTrips++;
            Sum += roundTrip;
            Longest = Math.Max(Longest, roundTrip);
            Shortest = Math.Min(Shortest, roundTrip);
        }
    }
}
