using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <content>Receiving.</content>
internal sealed partial class UdpChannel
{
    private static readonly TimeSpan s_fragmentCheck = TimeSpan.FromSeconds(1);

    /// <summary>Handles a datagram of this connection. Called by one thread at a time.</summary>
    /// <param name="datagram">The whole datagram.</param>
    /// <param name="scratch">Memory of at least the same size.</param>
    /// <param name="isTheirs">Whether the other side sent the datagram, as far as the protection can verify that.</param>
    /// <returns>Whether the caller must call <see cref="CompleteReceive"/>, as its last step.</returns>
    public bool Take(ReadOnlySpan<byte> datagram, Span<byte> scratch, out bool isTheirs)
    {
        isTheirs = false;
        if (_keys is null)
        {
            isTheirs = datagram[0] == DatagramFormat.Plain && datagram.Length > DatagramFormat.PlainHeader;
            if (isTheirs)
                return TakeBody(datagram.Slice(DatagramFormat.PlainHeader));
            _counts.CountDropped(DatagramDropReason.Malformed);
            return false;
        }

        if (datagram[0] != DatagramFormat.Sealed || datagram.Length < DatagramFormat.SealedHeader + TrafficKey.TagSize + 1)
        {
            _counts.CountDropped(datagram[0] == DatagramFormat.Sealed ? DatagramDropReason.Malformed : DatagramDropReason.Forged);
            return false;
        }

        var packet = datagram.Slice(DatagramFormat.SealedHeader);
        var plain = scratch.Slice(0, packet.Length - TrafficKey.TagSize);
        var number = BinaryPrimitives.ReadUInt64LittleEndian(datagram.Slice(DatagramFormat.PlainHeader + 1));
        var status = _keys.Opener.TryOpen(datagram[DatagramFormat.PlainHeader], number, packet, plain);
        if (status != OpenStatus.Ok)
        {
            _counts.CountDropped(status switch
            {
                OpenStatus.Replayed => DatagramDropReason.Replayed,
                OpenStatus.TooOld => DatagramDropReason.TooOld,
                OpenStatus.Closed => DatagramDropReason.UnknownConnection,
                _ => DatagramDropReason.Forged,
            });
            return false;
        }

        isTheirs = true;
        var completes = TakeBody(plain);
        CryptographicOperations.ZeroMemory(plain);
        return completes;
    }

    /// <summary>Completes the pending receive, on the calling thread.</summary>
    public void CompleteReceive() => _inbox.Complete();

    private bool TakeBody(ReadOnlySpan<byte> body)
    {
        var completes = false;
        try
        {
            if (TakePart((DatagramPart)body[0], body.Slice(1), ref completes) is { } reason)
                _counts.CountDropped(reason);
        }
        catch (Exception e)
        {
            _counts.CountFailure(e); // caught here, because a receive that was already taken must be completed
        }

        return completes;
    }

    private DatagramDropReason? TakePart(DatagramPart part, ReadOnlySpan<byte> body, ref bool completes)
    {
        DatagramDropReason? drop = DatagramDropReason.Malformed;
        switch (part)
        {
            case DatagramPart.Frames:
                drop = TakeFrames(body, ref completes);
                break;
            case DatagramPart.Segment:
                drop = TakeSegment(body, ref completes);
                break;
            case DatagramPart.Acknowledgement when body.Length == ReliableReceiver.AcknowledgementSize:
                _sender.Acknowledge(BinaryPrimitives.ReadUInt32LittleEndian(body), BinaryPrimitives.ReadUInt32LittleEndian(body.Slice(sizeof(uint))));
                drop = null;
                break;
            case DatagramPart.Sequenced:
                drop = TakeSequenced(body, ref completes);
                break;
            case DatagramPart.Fragment or DatagramPart.SequencedFragment when _fragments is not null:
                drop = TakeFragment(body, part == DatagramPart.SequencedFragment, ref completes);
                break;
            case DatagramPart.Confirmation when body.IsEmpty:
                drop = null;
                break;
            case DatagramPart.Close when body.IsEmpty:
                _isGone = true;
                completes = _inbox.TryEnd();
                _sender.Close();
                drop = null;
                break;
        }

        return drop;
    }

    private DatagramDropReason? TakeSegment(ReadOnlySpan<byte> segment, ref bool completes)
    {
        bool isDue;
        lock (_receiver)
        {
            var drop = IsClosed ? DatagramDropReason.UnknownConnection : _receiver.TryTake(segment, ref completes);
            if (drop is not null)
                return drop;
            isDue = _receiver.IsAcknowledgementDue;
            if (!isDue && _isAcknowledgementSet)
                return null;
            _isAcknowledgementSet |= !isDue;
        }

        if (isDue)
            Acknowledge();
        else
            _acknowledgementTimer.Set(s_acknowledgementDelay); // one datagram acknowledges all segments of this time
        return null;
    }

    private DatagramDropReason? TakeFrames(ReadOnlySpan<byte> frames, ref bool completes) =>
        AreFrames(frames) ? AddFrames(frames, ref completes) : DatagramDropReason.Malformed;

    private DatagramDropReason? TakeSequenced(ReadOnlySpan<byte> body, ref bool completes)
    {
        if (body.Length < SequencedStreams.HeaderSize || !AreFrames(body.Slice(SequencedStreams.HeaderSize)))
            return DatagramDropReason.Malformed;
        if (!_streams.IsOutdated(body))
            return AddFrames(body.Slice(SequencedStreams.HeaderSize), ref completes);
        Interlocked.Increment(ref _outdated);
        return DatagramDropReason.Outdated;
    }

    private DatagramDropReason? AddFrames(ReadOnlySpan<byte> frames, ref bool completes) =>
        _receiver.IsWithin ? DatagramDropReason.OutOfOrder : _inbox.TryAdd(frames, out completes) ? null : DatagramDropReason.InboxFull;

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

    private DatagramDropReason? TakeFragment(ReadOnlySpan<byte> body, bool isSequenced, ref bool completes)
    {
        var now = _time.GetElapsedTime(_begun); // before the lock, because the clock may be code of the program
        int size;
        lock (_fragments!)
        {
            if (IsClosed)
                return DatagramDropReason.UnknownConnection;
            size = _fragments.TryTake(body, now, out var frame);
            if (size > 0)
            {
                try
                {
                    return isSequenced ? TakeSequenced(frame.AsSpan(0, size), ref completes) : TakeFrames(frame.AsSpan(0, size), ref completes);
                }
                finally
                {
                    ArrayPool<byte>.Shared.Return(frame!, clearArray: true);
                }
            }
        }

        _fragmentTimer!.Set(s_fragmentCheck);
        return size < 0 ? DatagramDropReason.BadFragment : null;
    }

    /// <summary>Zeroes early segments and incomplete fragments. Later segments and fragments are dropped.</summary>
    private void ForgetParts()
    {
        lock (_receiver)
            _receiver.Clear();
        if (_fragments is null)
            return;
        lock (_fragments)
            _fragments.GiveUpAll();
    }

    private void GiveUpFragments()
    {
        var now = _time.GetElapsedTime(_begun);
        bool waits;
        lock (_fragments!)
            waits = _fragments.GiveUpOld(now);
        if (waits && !_isGone)
            _fragmentTimer!.Set(s_fragmentCheck);
    }
}
