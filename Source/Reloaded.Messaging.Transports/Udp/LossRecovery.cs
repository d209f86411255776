namespace Reloaded.Messaging;

/// <summary>Remembers the sent datagrams until they are acknowledged or lost, measures the round trip, and limits the bytes in flight. Not thread-safe.</summary>
/// <remarks>Losses are detected as in RFC 9002, section 6: by three newer datagrams, by time, and by probes. Times are ticks of <see cref="TimeSpan"/>.</remarks>
/// <param name="owner">Learns what became of each datagram.</param>
/// <param name="packetSize">The size of the largest datagram, in bytes.</param>
internal sealed class LossRecovery(ISentPacketOwner owner, int packetSize)
{
    /// <summary>The number of newer acknowledged datagrams after which a datagram is lost. It grows on a path that reorders datagrams.</summary>
    private const int MinPacketThreshold = 3;

    private const int MaxPacketThreshold = ReplayWindow.Size / 2;
    private const int Patience = 9; // eighths of a round trip after which a datagram is lost (RFC 9002, 6.1.2)
    private const int MaxLateness = 3; // round trips

    /// <summary>The assumed round trip before the first measurement.</summary>
    public const long InitialRoundTrip = 100 * TimeSpan.TicksPerMillisecond;

    /// <summary>The precision of timers.</summary>
    public const long Granularity = TimeSpan.TicksPerMillisecond;

    /// <summary>The maximum number of remembered datagrams.</summary>
    private const int MaxPackets = 16 * 1024;

    private const int PersistentPeriods = 3;
    private const int MaxBackoff = 16;
    private const int LossBlock = 512;

    private SentPacket[] _packets = new SentPacket[4]; // a ring; the size is a power of two
    private ulong _first; // the oldest datagram that is not resolved
    private ulong _path; // the first datagram on the present path
    private ulong _largestAcknowledged;
    private long _lastEliciting;
    private long _lossTime = long.MaxValue;
    private long _firstMeasured = long.MaxValue;
    private long _latest;
    private ulong _packetThreshold = MinPacketThreshold;
    private long _lateness; // by which datagrams came later than a round trip; a time, because a queue that makes the round trip longer reorders no more
    private int _backoff;
    private int _elicitingInFlight;
    private int _resolved;
    private int _lost;
    private (int Resolved, int Lost) _lastBlock;

    /// <summary>The congestion window.</summary>
    public CongestionWindow Window { get; private set; } = new(packetSize);

    /// <summary>The number of the next datagram. A number is never used again.</summary>
    public ulong Next { get; private set; }

    /// <summary>The bytes in flight.</summary>
    public int InFlight { get; private set; }

    /// <summary>The memory of the remembered datagrams, in bytes.</summary>
    public int RecordBytes => 64 * _packets.Length;

    /// <summary>Whether a datagram of any size may be sent.</summary>
    public bool IsWithinWindow => InFlight + packetSize <= Window.Size && Next - _first < MaxPackets;

    /// <summary>The smoothed round trip; <see cref="InitialRoundTrip"/> before the first measurement.</summary>
    public long RoundTrip { get; private set; } = InitialRoundTrip;

    /// <summary>The mean deviation of the round trip.</summary>
    public long Deviation { get; private set; } = InitialRoundTrip / 2;

    /// <summary>The shortest measured round trip; 0 before the first measurement.</summary>
    public long Shortest { get; private set; }

    /// <summary>Whether the round trip was measured.</summary>
    public bool IsMeasured => Shortest > 0;

    /// <summary>The datagrams that may be sent beyond the window, because a probe is due.</summary>
    public int Probes { get; set; }

    /// <summary>The share of the recent datagrams that were lost (0–1); <see langword="null"/> before the first acknowledgement.</summary>
    public double? LossShare => _resolved + _lastBlock.Resolved == 0 ? null : (_lost + _lastBlock.Lost) / (double)(_resolved + _lastBlock.Resolved);

    /// <summary>The time at which the last datagram was sent that must be acknowledged; <see cref="long.MaxValue"/> if such a datagram is in flight.</summary>
    public long IdleSince => _elicitingInFlight == 0 ? _lastEliciting : long.MaxValue;

    /// <summary>The time at which <see cref="Tick"/> is due; <see cref="long.MaxValue"/> if no datagram is in flight.</summary>
    /// <remarks>A probe does not wait for a loss by time: on a path that reorders, the patience is longer than the probe timeout.</remarks>
    public long Timer => Math.Min(_lossTime, _elicitingInFlight == 0 ? long.MaxValue : _lastEliciting + (ProbeTimeout << Math.Min(_backoff, MaxBackoff)));

    /// <summary>The time after which a probe is due: the round trip, four deviations and the delay of acknowledgements.</summary>
    private long ProbeTimeout => RoundTrip + Math.Max(4 * Deviation, Granularity) + AcknowledgementDelay;

    /// <summary>The longest time for which a receiver delays an acknowledgement: a quarter of the round trip (2–20 ms).</summary>
    public long AcknowledgementDelay => IsMeasured ? Math.Clamp(RoundTrip / 4, 2 * Granularity, 20 * Granularity) : 20 * Granularity;

    /// <summary>Records a datagram with the number <see cref="Next"/>.</summary>
    /// <param name="packet">The datagram. Its size is 0 if it must not be acknowledged; it is then not in flight.</param>
    public void NoteSent(in SentPacket packet)
    {
        if (packet.Size == 0 && _first == Next)
        {
            _first = ++Next; // nothing is awaited
            return;
        }

        if (Next - _first == MaxPackets)
            ForgetOldest(packet.SentAt);
        if (Next - _first == (ulong)_packets.Length)
            Grow();
        ref var slot = ref SlotOf(Next);
        slot = packet;
        if (packet.Size > 0)
            Window.NoteSent(ref slot, InFlight);
        slot.State = packet.Size > 0 ? PacketState.InFlight : PacketState.Resolved;
        Next++;
        if (packet.Size == 0)
            return;
        InFlight += packet.Size;
        _elicitingInFlight++;
        _lastEliciting = packet.SentAt;
    }

    /// <summary>Records that the program has nothing to send, so that the rate does not show what the path carries.</summary>
    public void NoteLimited()
    {
        if (IsWithinWindow)
            Window.NoteLimited(InFlight);
    }

    /// <summary>Processes an acknowledgement.</summary>
    /// <param name="body">The body of the part.</param>
    /// <param name="now">The current time.</param>
    /// <returns><see langword="false"/> if it is malformed, or names datagrams that were never sent.</returns>
    public bool TryAcknowledge(ReadOnlySpan<byte> body, long now)
    {
        if (!AcknowledgedRanges.TryRead(body, Next, out var ranges))
            return false;
        var measured = false;
        while (ranges.MoveNext())
        {
            for (var number = Math.Max(ranges.Start, _first); number <= ranges.End; number++)
            {
                ref var packet = ref SlotOf(number);
                if (packet.State == PacketState.Lost)
                    NoteLate(ref packet, number, now);
                if (packet.State != PacketState.InFlight)
                    continue;
                if (number == ranges.Largest && number >= _path)
                {
                    Measure(now, now - packet.SentAt, ranges.Delay);
                    measured = true;
                }

                Resolve(ref packet);
                if (number >= _path)
                    Window.NoteAcknowledged(in packet, now);
                owner.NoteAcknowledged(in packet);
                _backoff = 0;
            }
        }

        _largestAcknowledged = Math.Max(_largestAcknowledged, ranges.Largest);
        if (measured && _firstMeasured == long.MaxValue)
            _firstMeasured = now;
        DetectLosses(now);
        SkipResolved(now);
        Window.EndAcknowledgement(InFlight, now);
        return true;
    }

    /// <summary>Detects losses by time, or makes probes due.</summary>
    public void Tick(long now)
    {
        if (now < Timer)
            return;
        if (now >= _lossTime)
        {
            DetectLosses(now);
            SkipResolved(now);
            return;
        }

        _backoff++;
        MakeProbesDue();
    }

    /// <summary>Makes probes due at once, unless every datagram was acknowledged: the datagrams in flight went to an address at which the other side no longer receives.</summary>
    public void Probe()
    {
        ForgetBackoff();
        if (_elicitingInFlight > 0)
            MakeProbesDue();
    }

    /// <summary>Forgets how often a probe was not answered. The next one is due after the shortest time.</summary>
    public void ForgetBackoff() => _backoff = 0;

    /// <summary>Begins with a new path, of which nothing is known (RFC 9000, 9.4). Datagrams on the old path may still be acknowledged.</summary>
    public void ForgetPath()
    {
        _path = Next;
        Window = new CongestionWindow(packetSize);
        (RoundTrip, Deviation, Shortest, _latest, _firstMeasured, _backoff) = (InitialRoundTrip, InitialRoundTrip / 2, 0, 0, long.MaxValue, 0);
    }

    private void MakeProbesDue()
    {
        Probes = 2;
        owner.NoteProbe();
    }

    private void Measure(long now, long sample, long delay)
    {
        sample = _latest = Math.Max(sample, 1);
        if (!IsMeasured)
        {
            (Shortest, RoundTrip, Deviation) = (sample, sample, sample / 2);
        }
        else
        {
            Shortest = Math.Min(Shortest, sample);
            delay = Math.Min(delay, AcknowledgementDelay);
            if (sample - delay >= Shortest)
                sample -= delay;
            Deviation += (Math.Abs(RoundTrip - sample) - Deviation) / 4;
            RoundTrip += (sample - RoundTrip) / 8;
        }

        Window.NoteRoundTrip(_latest, now);
    }

    private void DetectLosses(long now)
    {
        _lossTime = long.MaxValue;
        var roundTrip = Math.Max(RoundTrip, _latest);
        var patience = Math.Max(Math.Max(roundTrip * Patience / 8, roundTrip + _lateness), Granularity);
        var (runStart, worst) = (long.MinValue, 0L);
        for (var number = _first; number < _largestAcknowledged; number++)
        {
            ref var packet = ref SlotOf(number);
            if (packet.State == PacketState.Acknowledged)
                runStart = long.MinValue; // an acknowledgement ends a run of losses
            if (packet.State != PacketState.InFlight)
                continue;
            if (_largestAcknowledged < number + _packetThreshold && now < packet.SentAt + patience)
            {
                _lossTime = Math.Min(_lossTime, packet.SentAt + patience);
                continue;
            }

            Lose(ref packet, number);
            if (packet.SentAt < _firstMeasured)
                continue; // also each datagram on an earlier path
            runStart = runStart == long.MinValue ? packet.SentAt : runStart;
            worst = Math.Max(worst, packet.SentAt - runStart);
        }

        if (worst > PersistentPeriods * ProbeTimeout)
            Window.NotePersistentCongestion();
    }

    /// <summary>Makes room for a datagram. Acknowledgements have numbers too: the other side could cause any number of them while it leaves one datagram unacknowledged.</summary>
    private void ForgetOldest(long now)
    {
        ref var oldest = ref SlotOf(_first);
        if (oldest.State == PacketState.InFlight)
            Lose(ref oldest, _first);
        _first++;
        SkipResolved(now);
    }

    private void Lose(ref SentPacket packet, ulong number)
    {
        Resolve(ref packet);
        packet.State = PacketState.Lost;
        _lost++;
        owner.NoteLost(in packet, number);
        if (number >= _path)
            Window.NoteLost(packet.Size);
    }

    private void Resolve(ref SentPacket packet)
    {
        InFlight -= packet.Size;
        _elicitingInFlight--;
        packet.State = PacketState.Acknowledged;
        if (++_resolved < LossBlock)
            return;
        _lastBlock = (_resolved, _lost);
        (_resolved, _lost) = (0, 0);
        _lateness = _lateness * 7 / 8;
        _packetThreshold = Math.Max(_packetThreshold * 7 / 8, MinPacketThreshold);
    }

    /// <summary>Learns from a datagram that was held to be lost and has arrived late: the path reorders datagrams by more than it was known to.</summary>
    private void NoteLate(ref SentPacket packet, ulong number, long now)
    {
        _packetThreshold = Math.Clamp(_largestAcknowledged - Math.Min(_largestAcknowledged, number) + 1, _packetThreshold, MaxPacketThreshold);
        _lateness = Math.Max(_lateness, Math.Min(now - packet.SentAt - RoundTrip, MaxLateness * RoundTrip));
        packet.State = PacketState.Acknowledged;
        _lost -= _lost > 0 ? 1 : 0;
        if (number >= _path)
            Window.NoteLost(-packet.Size);
        owner.NoteAcknowledged(in packet);
    }

    /// <summary>Forgets the oldest datagrams whose fate is known. Lost ones are remembered for four round trips, because they may be late.</summary>
    private void SkipResolved(long now)
    {
        while (_first < Next && SlotOf(_first) is var packet && (packet.State is PacketState.Resolved or PacketState.Acknowledged || (packet.State == PacketState.Lost && packet.SentAt + ((MaxLateness + 1) * RoundTrip) < now)))
            _first++;
    }

    private ref SentPacket SlotOf(ulong number) => ref _packets[(int)number & (_packets.Length - 1)];

    private void Grow()
    {
        var larger = new SentPacket[2 * _packets.Length];
        for (var number = _first; number < Next; number++)
            larger[(int)number & (larger.Length - 1)] = SlotOf(number);
        _packets = larger;
    }
}

/// <summary>Learns what became of sent datagrams.</summary>
internal interface ISentPacketOwner
{
    /// <summary>A datagram was acknowledged.</summary>
    void NoteAcknowledged(in SentPacket packet);

    /// <summary>A datagram was lost. Its content is sent again in another datagram if it must arrive.</summary>
    void NoteLost(in SentPacket packet, ulong number);

    /// <summary>No acknowledgement has arrived in time: the oldest content, or a ping, is sent again.</summary>
    void NoteProbe();
}

/// <summary>The state of a sent datagram.</summary>
internal enum PacketState : byte
{
    /// <summary>The datagram is not acknowledged.</summary>
    Resolved,

    InFlight,

    Acknowledged,

    Lost,
}
