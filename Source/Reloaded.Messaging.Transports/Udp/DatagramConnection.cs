using System.Buffers;
using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>One side of a connection over datagrams, without sockets, threads and clocks. Not thread-safe.</summary>
/// <remarks>
/// The caller gives it the frames to send, the received datagrams and the time. It gives the datagrams to send, the received frames, and the time of the next <see cref="Tick"/>.
/// Losses and acknowledgements follow RFC 9002. Times are ticks of <see cref="TimeSpan"/>.
/// </remarks>
internal sealed partial class DatagramConnection : ISentPacketOwner
{
    /// <summary>The number of pings in a probe. With them, a datagram is as large as a challenge: a probe from another address is then answered with a challenge.</summary>
    private const int ProbePings = (DatagramFormat.PartHeader + DatagramFormat.ChallengeSize + DatagramFormat.PartHeader - 1) / DatagramFormat.PartHeader;

    private const long SilenceInterval = TimeSpan.TicksPerSecond;

    /// <summary>The time for which a new client pings after each second of silence, which is longer than a handshake lasts.</summary>
    private const long HandshakeTime = 10 * TimeSpan.TicksPerSecond;
    private const int SegmentsPerDatagram = 3; // so that a segment fits the smallest datagram

    private readonly int _bodySize;
    private readonly int _overhead;
    private readonly UdpOptions _options;
    private readonly DatagramCounters _counts;
    private readonly LossRecovery _recovery;
    private readonly OrderedChannels _channels;
    private readonly LooseSender _loose;
    private readonly SequencedStreams _streams = new();
    private PathSize _pathSize;
    private byte[]? _last; // the last message, which follows all others
    private bool _isLooseFirst;
    private int _owedPings;
    private ulong? _owedResponse;
    private uint _lastDivided;
    private long _handshakeUntil;
    private long _now; // of the last call
    private long _acknowledged;

    /// <param name="bodySize">The size of the largest body of a datagram, in bytes.</param>
    /// <param name="overhead">The size of the header and the tag of a datagram, in bytes.</param>
    /// <param name="options">The sizes of datagrams and fragments.</param>
    /// <param name="counts">Counts dropped parts and lost datagrams.</param>
    public DatagramConnection(int bodySize, int overhead, UdpOptions options, DatagramCounters counts)
    {
        (_bodySize, _overhead, _options, _counts) = (bodySize, overhead, options, counts);
        _recovery = new LossRecovery(this, bodySize + overhead);
        _pathSize = new PathSize(bodySize + overhead);
        _channels = new OrderedChannels((bodySize - DatagramFormat.PartHeader - DatagramFormat.DataHeader) / SegmentsPerDatagram);
        _fragments = options.MaxFragments > 1 ? new FragmentAssembler(options, counts) : null;
        var room = bodySize - DatagramFormat.PartHeader;
        _loose = new LooseSender(counts, room * options.MaxFragments);
        var divided = options.MaxFragments == 1 ? room : (room - FragmentAssembler.HeaderSize) * options.MaxFragments;
        MaxMessageSize = Math.Min(divided, LooseReceiver.Capacity) - UVarint.SizeOf((uint)divided) - SequencedStreams.HeaderSize;
    }

    /// <summary>The largest message that fits every delivery, in bytes.</summary>
    public int MaxMessageSize { get; }

    /// <summary>The number of the next datagram.</summary>
    public ulong NextNumber => _recovery.Next;

    /// <summary>The number of reliable frames whose arrival was not confirmed.</summary>
    public int UnconfirmedFrames => _channels.UnconfirmedFrames;

    /// <summary>The number of acknowledged datagrams; <see langword="null"/> if none is in flight.</summary>
    public long? AcknowledgedProgress => _recovery.InFlight > 0 ? _acknowledged : null;

    /// <summary>The bytes that wait to be sent.</summary>
    public int PendingBytes => _channels.UnsentBytes + _loose.Bytes + (_last?.Length ?? 0);

    /// <summary>Whether the message of <see cref="Seal"/> was acknowledged.</summary>
    public bool HasLastArrived => _last is null && _channels.HasBarrierArrived;

    /// <summary>The state of the path.</summary>
    public PathStatistics Path => new(
        TimeSpan.FromTicks(_recovery.IsMeasured ? _recovery.RoundTrip : 0),
        TimeSpan.FromTicks(_recovery.IsMeasured ? _recovery.Deviation : 0),
        _received.MissingShare,
        _recovery.LossShare,
        _recovery.Window.Size,
        _recovery.InFlight,
        PendingBytes);

    /// <summary>The time of the next ping of a side that waits for the other one and sends nothing else: for room, or in the handshake. The ping shows its address, which may have changed.</summary>
    private long SilenceTimer => _recovery.IdleSince < long.MaxValue && (_channels.IsBlocked || _recovery.IdleSince < _handshakeUntil) ? _recovery.IdleSince + SilenceInterval : long.MaxValue;

    private bool HasContent => _channels.CanSend || HasLoose;

    /// <summary>Whether the next datagram has the oldest unreliable part alone, because the part is larger than the datagrams that the path is known to carry.</summary>
    private bool SendsLarge => HasLoose && _loose.NextSize > _pathSize.Current - _overhead - DatagramFormat.PartHeader && (!_isLooseFirst || !_channels.CanSend);

    private bool HasLoose => _loose.NextSize > 0 && !_channels.IsHeld;

    /// <inheritdoc cref="OrderedChannels.GetUnsentBytes"/>
    public int GetUnsentBytes(int channel) => _channels.GetUnsentBytes(channel);

    /// <inheritdoc cref="OrderedChannels.Append"/>
    public void Append(int channel, ReadOnlySpan<byte> message, bool isBarrier = false) => _channels.Append(channel, message, isBarrier);

    /// <summary>Adds a message that may be lost.</summary>
    /// <param name="message">The message.</param>
    /// <param name="stream">The stream of a sequenced message; negative for an unreliable message.</param>
    public void AddLoose(ReadOnlySpan<byte> message, int stream)
    {
        Span<byte> start = stackalloc byte[SequencedStreams.HeaderSize + UVarint.MaxSize];
        var (header, part) = stream >= 0 ? (SequencedStreams.HeaderSize, DatagramPart.Sequenced) : (0, DatagramPart.Frames);
        start = start.Slice(0, header + UVarint.Write(start.Slice(header), (uint)message.Length));
        var room = _bodySize - DatagramFormat.PartHeader;
        if (stream >= 0)
            _loose.DropOutdated(stream);
        if (_loose.TryExtend(part, stream, start.Slice(header), message, _pathSize.Current - _overhead - DatagramFormat.PartHeader))
            return;
        if (stream >= 0)
            _streams.WriteHeader(start, (byte)stream);
        if (start.Length + message.Length <= room)
            _loose.Add(part, start, message, stream);
        else
            AddDivided(start, message, stream);
    }

    /// <summary>Lets a last message follow when all others have arrived.</summary>
    public void Seal(ReadOnlySpan<byte> last) => _last = last.ToArray();

    /// <inheritdoc cref="LooseSender.NoteFlushed"/>
    public void NoteFlushed() => _loose.NoteFlushed();

    /// <summary>Returns the end of what waits now.</summary>
    public (ulong[] Channels, uint Loose) GetEnd() => (_channels.GetEnds(), _loose.Added);

    /// <summary>Returns whether everything before an end was sent.</summary>
    public bool HasSent(in (ulong[] Channels, uint Loose) end) => _loose.HasSent(end.Loose) && _channels.HaveSent(end.Channels);

    /// <summary>Shows the other side that this side has the keys, and its address whenever it has sent nothing for a second of the handshake.</summary>
    public void Confirm(long now) => (_owedPings, _handshakeUntil) = (1, now + HandshakeTime);

    /// <summary>Writes the body of the next datagram. Its number is <see cref="NextNumber"/> before the call.</summary>
    /// <param name="body">The memory, as large as the largest body.</param>
    /// <param name="now">The current time.</param>
    /// <returns>The size; 0 if no datagram may be sent now.</returns>
    public int Write(Span<byte> body, long now)
    {
        if (now >= _pathSize.ProbeAt)
            return WriteSizeProbe(body, now);
        var isLarge = SendsLarge;
        var size = isLarge ? _pathSize.Largest : _recovery.Probes == 1 && (_channels.CanSend || !HasLoose) ? PathSize.Smallest : _pathSize.Current; // the path may carry only the second probe
        var datagram = new DatagramWriter(body.Slice(0, size - _overhead));
        var packet = new SentPacket { SentAt = now };
        _channels.AddRooms(ref datagram, ref packet);
        if (_last is not null && _loose.NextSize == 0 && _channels.HaveOthersArrived)
        {
            _channels.Append(0, _last, isBarrier: true);
            _last = null;
        }

        if (_recovery.Probes > 0 && !HasContent && !_channels.TryRepeatOldest())
            _recovery.Probes = 0; // both probes carry the oldest segment, so that one more loss does not cost another timeout
        if (!HasContent)
            _recovery.NoteLimited();
        else if (_recovery.Probes > 0 || (_recovery.IsWithinWindow && _recovery.Window.NextSend(now) <= now))
            AddContent(ref datagram, ref packet, isLarge);
        for (; _owedPings > 0 && datagram.Room >= 0; _owedPings--)
            datagram.Add(DatagramPart.Ping, 0);

        if (_owedResponse is { } challenge && datagram.Room >= DatagramFormat.ChallengeSize)
        {
            _owedResponse = null;
            BinaryPrimitives.WriteUInt64LittleEndian(datagram.Add(DatagramPart.Response, DatagramFormat.ChallengeSize), challenge);
        }

        var isEliciting = datagram.Length > 0;
        if (isEliciting ? _received.OwesAcknowledgement : _received.IsDue(now))
            AddAcknowledgement(ref datagram, now);
        if (datagram.Length == 0)
            return 0;
        if (isEliciting)
        {
            packet.Size = datagram.Length + _overhead;
            _counts.CountSent();
            _recovery.Probes -= _recovery.Probes > 0 ? 1 : 0;
        }

        _recovery.NoteSent(in packet);
        return datagram.Length;
    }

    /// <summary>Writes the body of a datagram of pings, which shows whether the path carries its size.</summary>
    private int WriteSizeProbe(Span<byte> body, long now)
    {
        var datagram = new DatagramWriter(body.Slice(0, _pathSize.Next - _overhead));
        while (datagram.Room >= 0)
            datagram.Add(DatagramPart.Ping, 0);
        _pathSize.NoteProbe(now);
        _counts.CountSent();
        _recovery.NoteSent(new SentPacket { SentAt = now, Size = datagram.Length + _overhead });
        return datagram.Length;
    }

    /// <summary>Writes the body of a datagram that closes the connection and acknowledges what has arrived.</summary>
    public int WriteClose(Span<byte> body, long now)
    {
        var datagram = new DatagramWriter(body.Slice(0, _bodySize));
        if (_received.OwesAcknowledgement)
            AddAcknowledgement(ref datagram, now);
        datagram.Add(DatagramPart.Close, 0);
        _recovery.NoteSent(new SentPacket { SentAt = now });
        return datagram.Length;
    }

    /// <summary>Writes the body of a datagram that asks whether the other side receives at a new address. It is not sent again if it is lost.</summary>
    public int WriteChallenge(Span<byte> body, ulong challenge, long now)
    {
        var datagram = new DatagramWriter(body);
        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Add(DatagramPart.Challenge, DatagramFormat.ChallengeSize), challenge);
        _recovery.NoteSent(new SentPacket { SentAt = now });
        return datagram.Length;
    }

    /// <summary>Forgets the measurements of the path, because the other side has another address.</summary>
    public void ForgetPath()
    {
        _recovery.ForgetPath();
        _pathSize = new PathSize(_bodySize + _overhead);
    }

    /// <summary>Sends again what went to the earlier address of the other side: the oldest content, and the last acknowledgement.</summary>
    public void NoteAddressChange()
    {
        _received.Repeat();
        _recovery.Probe();
    }

    /// <summary>Returns the time of the next <see cref="Tick"/>; <see cref="long.MaxValue"/> for none.</summary>
    public long NextTimer(long now)
    {
        var next = Math.Min(Math.Min(Math.Min(_recovery.Timer, SilenceTimer), Math.Min(_received.Timer, _fragmentsUntil)), _pathSize.ProbeAt);
        if (HasContent && _recovery.IsWithinWindow)
            next = Math.Min(next, _recovery.Window.NextSend(now));
        return next;
    }

    /// <summary>Handles the timers that have expired. The caller sends datagrams afterwards.</summary>
    public void Tick(long now)
    {
        _now = now;
        if (now >= SilenceTimer)
            _owedPings = ProbePings;
        _recovery.Tick(now);
        if (now >= _fragmentsUntil)
            _fragmentsUntil = _fragments!.GiveUpOld(TimeSpan.FromTicks(now)) ? now + FragmentCheck : long.MaxValue;
    }

    /// <summary>Zeroes and returns all memory. Nothing is sent or received any more.</summary>
    /// <param name="keepsReceived">Whether the received frames can still be read, until the next call.</param>
    public void Clear(bool keepsReceived)
    {
        _channels.Clear(keepsReceived);
        _loose.Clear();
        _last = null;
        _fragments?.GiveUpAll();
        _fragmentsUntil = long.MaxValue;
        if (keepsReceived)
            return;
        _looseIn.Clear();
        _unread.Clear();
        (_run, _newest) = (default, default);
    }

    void ISentPacketOwner.NoteAcknowledged(in SentPacket packet)
    {
        _acknowledged++;
        _pathSize.NoteAcknowledged(packet.Size, _now);
        _channels.NoteAcknowledged(in packet);
    }

    void ISentPacketOwner.NoteLost(in SentPacket packet, ulong number)
    {
        _counts.CountLost();
        _pathSize.NoteLost(packet.Size, number, NextNumber, _now);
        _channels.NoteLost(in packet, number);
    }

    void ISentPacketOwner.NoteProbe()
    {
        for (var i = 0; i < SegmentsPerDatagram && _channels.TryRepeatOldest(); i++)
        {
        }

        if (!HasContent)
            _owedPings = ProbePings;
    }

    /// <summary>Adds frames. Reliable frames and others come first by turns, so that neither kind holds back the other.</summary>
    private void AddContent(ref DatagramWriter datagram, ref SentPacket packet, bool isLarge)
    {
        _isLooseFirst = isLarge || !_isLooseFirst;
        if (_isLooseFirst)
            AddLooseParts(ref datagram);
        if (!isLarge)
            _channels.AddData(ref datagram, ref packet, NextNumber);
        if (!_isLooseFirst)
            AddLooseParts(ref datagram);
        if (datagram.Length == 0)
            AddLooseParts(ref datagram);
    }

    private void AddLooseParts(ref DatagramWriter datagram)
    {
        while (HasLoose && _loose.NextSize <= datagram.Room)
            _loose.Take(ref datagram);
    }

    private void AddAcknowledgement(ref DatagramWriter datagram, long now)
    {
        if (datagram.Room > AcknowledgedRanges.HeaderSize && _received.Write(datagram.Peek(), now) is > 0 and var size)
            datagram.Add(DatagramPart.Acknowledgement, size);
    }

    private void AddDivided(ReadOnlySpan<byte> start, ReadOnlySpan<byte> frame, int stream)
    {
        var size = _bodySize - DatagramFormat.PartHeader - FragmentAssembler.HeaderSize;
        var total = start.Length + frame.Length;
        var count = (total + size - 1) / size;
        if (count > _options.MaxFragments)
        {
            _counts.CountDropped(DatagramDropReason.TooLarge);
            return;
        }

        var whole = ArrayPool<byte>.Shared.Rent(total);
        start.CopyTo(whole);
        frame.CopyTo(whole.AsSpan(start.Length));
        Span<byte> header = stackalloc byte[FragmentAssembler.HeaderSize];
        BinaryPrimitives.WriteUInt32LittleEndian(header, ++_lastDivided);
        header[sizeof(uint) + 1] = (byte)count;
        for (var i = 0; i < count; i++)
        {
            header[sizeof(uint)] = (byte)i;
            var part = stream >= 0 ? DatagramPart.SequencedFragment : DatagramPart.Fragment;
            _loose.Add(part, header, whole.AsSpan(i * size, Math.Min(size, total - (i * size))), stream);
        }

        ArrayPool<byte>.Shared.Return(whole, clearArray: true);
    }
}
