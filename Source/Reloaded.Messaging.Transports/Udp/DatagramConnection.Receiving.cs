using System.Buffers;
using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <content>Receiving.</content>
internal sealed partial class DatagramConnection
{
    private const int LooseChannel = OrderedChannels.Count;
    private const long FragmentCheck = TimeSpan.TicksPerSecond;
    private const int MaxKeptRuns = 4096;
    private const int RunBytes = 16;

    private readonly ReceivedPackets _received = new();
    private readonly FragmentAssembler? _fragments;
    private readonly LooseReceiver _looseIn = new();
    private readonly Queue<Run> _unread = []; // older than _newest, in the order of their arrival
    private int _mostUnread; // the largest number of them, since there was none
    private Run _newest;
    private Run _run; // the run that is read
    private long _fragmentsUntil = long.MaxValue;

    /// <summary>Whether the other side has closed the connection.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>The number of received datagrams that were dropped because a newer one of their stream had arrived.</summary>
    public long Outdated { get; private set; }

    /// <summary>Whether the last datagram was newer than all others.</summary>
    public bool IsNewest { get; private set; }

    /// <summary>The response in the last datagram.</summary>
    public ulong? Response { get; private set; }

    /// <summary>The memory that the other side makes this side hold, in bytes.</summary>
    public int HeldBytes => _channels.HeldBytes + _looseIn.RentedBytes + (_fragments?.HeldBytes ?? 0) + _recovery.RecordBytes + (RunBytes * _mostUnread);

    /// <summary>Whether frames can be read.</summary>
    public bool IsReadable => NextRun is { Size: > 0 } run && (run.Channel == LooseChannel || _channels.GetReadable(run.Channel) > 0);

    private Run NextRun => _run.Size > 0 ? _run : _unread.TryPeek(out var oldest) ? oldest : _newest;

    /// <summary>Whether a larger room should be announced by a datagram.</summary>
    public bool HasNewRoom => _channels.HasNewRoom;

    /// <summary>Handles a datagram. Counts each dropped part.</summary>
    /// <param name="number">The number of the datagram.</param>
    /// <param name="body">The parts.</param>
    /// <param name="now">The current time.</param>
    public void Receive(ulong number, ReadOnlySpan<byte> body, long now)
    {
        (IsNewest, Response, _now) = (false, null, now);
        if (_received.Check(number) is var status and not OpenStatus.Ok)
        {
            _counts.CountDropped(status == OpenStatus.Replayed ? DatagramDropReason.Replayed : DatagramDropReason.TooOld);
            return;
        }

        if (!DatagramReader.AreParts(body, out var isEliciting))
        {
            _counts.CountDropped(DatagramDropReason.Malformed);
            return;
        }

        if (!TakeData(body))
        {
            _counts.CountDropped(DatagramDropReason.OutOfOrder);
            return; // it is not recorded, so nothing else of it is handled: it arrives again
        }

        while (DatagramReader.TryRead(ref body, out var part, out var content))
        {
            if (!IsData(part, content) && TakePart(part, content, now) is { } reason)
                _counts.CountDropped(reason);
        }

        IsNewest = _received.IsNewest(number);
        _received.Note(number, isEliciting, now, _recovery.AcknowledgementDelay);
    }

    /// <summary>Reads received frames in the order of their arrival. A frame is never interrupted by another one.</summary>
    /// <returns>The number of bytes; 0 if none can be read.</returns>
    public int Read(Span<byte> destination)
    {
        var size = 0;
        while (size < destination.Length)
        {
            if (_run.Size == 0 && !_unread.TryDequeue(out _run))
            {
                (_run, _newest) = (_newest, default);
                if (_mostUnread > MaxKeptRuns)
                    _unread.TrimExcess();
                _mostUnread = 0;
            }

            if (_run.Size == 0)
                break;
            var part = destination.Slice(size, (int)Math.Min((ulong)(destination.Length - size), _run.Size));
            var read = _run.Channel == LooseChannel ? _looseIn.Read(part) : _channels.Read(_run.Channel, part);
            if (read == 0)
                break; // the rest of a frame that is read in parts has not arrived
            _run.Size -= (ulong)read;
            size += read;
        }

        return size;
    }

    /// <summary>Records that frames can be read after the frames that have arrived before them.</summary>
    private void NoteReadable(int channel, ulong size)
    {
        if (_newest.Size > 0 && _newest.Channel != channel)
        {
            _unread.Enqueue(_newest);
            _mostUnread = Math.Max(_mostUnread, _unread.Count);
            _newest = default;
        }

        _newest = new Run(channel, _newest.Size + size);
    }

    private DatagramDropReason? TakePart(DatagramPart part, ReadOnlySpan<byte> body, long now)
    {
        switch (part)
        {
            case DatagramPart.Ping when body.IsEmpty:
                return null;
            case DatagramPart.Close when body.IsEmpty:
                IsClosed = true;
                return null;
            case DatagramPart.Acknowledgement:
                return _recovery.TryAcknowledge(body, now) ? null : DatagramDropReason.Malformed;
            case DatagramPart.Room when body.Length == DatagramFormat.RoomSize && body[0] < OrderedChannels.Count:
                _channels.NoteRoom(body[0], BinaryPrimitives.ReadUInt64LittleEndian(body.Slice(1)));
                return null;
            case DatagramPart.Challenge when body.Length == DatagramFormat.ChallengeSize:
                _owedResponse = BinaryPrimitives.ReadUInt64LittleEndian(body);
                _recovery.ForgetBackoff(); // acknowledgements went to the earlier address of this side
                return null;
            case DatagramPart.Response when body.Length == DatagramFormat.ChallengeSize:
                Response = BinaryPrimitives.ReadUInt64LittleEndian(body);
                return null;
            case DatagramPart.Frames:
                return TakeFrames(body);
            case DatagramPart.Sequenced:
                return TakeSequenced(body);
            case DatagramPart.Fragment or DatagramPart.SequencedFragment when _fragments is not null:
                return TakeFragment(body, part == DatagramPart.SequencedFragment, now);
            default:
                return DatagramDropReason.Malformed;
        }
    }

    private static bool IsData(DatagramPart part, ReadOnlySpan<byte> body) => part == DatagramPart.Data && body.Length > DatagramFormat.DataHeader && body[0] < OrderedChannels.Count;

    /// <summary>Adds the data of a datagram. Data that was added is skipped when the datagram arrives again.</summary>
    /// <returns><see langword="false"/> if any data has no place.</returns>
    private bool TakeData(ReadOnlySpan<byte> body)
    {
        while (DatagramReader.TryRead(ref body, out var part, out var content))
        {
            if (!IsData(part, content))
                continue;
            var isAdded = _channels.TryAdd(content[0], BinaryPrimitives.ReadUInt64LittleEndian(content.Slice(1)), content.Slice(DatagramFormat.DataHeader), out var added);
            if (added > 0)
                NoteReadable(content[0], added);
            if (!isAdded)
                return false;
        }

        return true;
    }

    private DatagramDropReason? TakeFrames(ReadOnlySpan<byte> frames)
    {
        if (!AreFrames(frames))
            return DatagramDropReason.Malformed;
        if (!_looseIn.TryAdd(frames))
            return DatagramDropReason.InboxFull;
        NoteReadable(LooseChannel, (ulong)frames.Length);
        return null;
    }

    private DatagramDropReason? TakeSequenced(ReadOnlySpan<byte> body)
    {
        if (body.Length < SequencedStreams.HeaderSize || !AreFrames(body.Slice(SequencedStreams.HeaderSize)))
            return DatagramDropReason.Malformed;
        if (!_streams.IsOutdated(body))
            return TakeFrames(body.Slice(SequencedStreams.HeaderSize));
        Outdated++;
        return DatagramDropReason.Outdated;
    }

    private DatagramDropReason? TakeFragment(ReadOnlySpan<byte> body, bool isSequenced, long now)
    {
        var size = _fragments!.TryTake(body, TimeSpan.FromTicks(now), out var frame);
        if (size == 0)
            _fragmentsUntil = Math.Min(_fragmentsUntil, now + FragmentCheck);
        if (size <= 0)
            return size < 0 ? DatagramDropReason.BadFragment : null;
        var reason = isSequenced ? TakeSequenced(frame.AsSpan(0, size)) : TakeFrames(frame.AsSpan(0, size));
        ArrayPool<byte>.Shared.Return(frame!, clearArray: true);
        return reason;
    }

    /// <summary>Returns whether bytes are one or more whole frames.</summary>
    private static bool AreFrames(ReadOnlySpan<byte> body)
    {
        if (body.IsEmpty)
            return false;
        while (!body.IsEmpty)
        {
            if (Frame.TryRead(ref body, int.MaxValue, out _) != FrameStatus.Ok)
                return false;
        }

        return true;
    }

    /// <summary>Frames of one channel that follow each other.</summary>
    private struct Run(int channel, ulong size)
    {
        public readonly int Channel = channel;
        public ulong Size = size;
    }
}
