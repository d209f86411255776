using System;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>Orders segments, and reports which have arrived. Holds at most 32 segments that arrived early. Not thread-safe.</summary>
internal sealed class ReliableReceiver(DatagramInbox inbox)
{
    public const int AcknowledgementSize = 2 * sizeof(uint);

    /// <summary>A quarter of the window, so that a sender never waits for an acknowledgement that is delayed.</summary>
    private const int MaxUnacknowledged = ReliableSender.Window / 4;

    /// <summary>The first segments are acknowledged at once, because a handshake waits for them.</summary>
    private const int HandshakeSegments = 16;

    private readonly byte[]?[] _early = new byte[ReliableSender.Window][];
    private uint _missing;
    private int _unacknowledged;
    private int _eager = HandshakeSegments;

    /// <summary>Whether segments were added since the last acknowledgement.</summary>
    public bool OwesAcknowledgement => _unacknowledged > 0;

    /// <summary>Whether the acknowledgement should not be delayed: a segment is missing or came twice, several segments are unacknowledged, or the connection is new.</summary>
    public bool IsAcknowledgementDue { get; private set; }

    /// <summary>Whether the last delivered segment has following segments that have not arrived yet.</summary>
    public bool IsWithin { get; private set; }

    /// <summary>Adds a segment.</summary>
    /// <param name="segment">The header and the bytes of the segment.</param>
    /// <param name="completes">Whether the caller must complete a pending receive now.</param>
    /// <returns><see langword="null"/> if the segment was added, now or earlier, and must be acknowledged; otherwise, the reason for which it was dropped.</returns>
    public DatagramDropReason? TryTake(ReadOnlySpan<byte> segment, ref bool completes)
    {
        if (segment.Length <= ReliableSender.HeaderSize || segment[sizeof(uint)] > 1)
            return DatagramDropReason.Malformed;
        var ahead = unchecked((int)(BinaryPrimitives.ReadUInt32LittleEndian(segment) - _missing));
        if (ahead >= ReliableSender.Window)
            return DatagramDropReason.OutOfOrder;
        if (ahead == 0 && !TryDeliver(segment.Slice(sizeof(uint)), ref completes, mayExceed: false))
            return DatagramDropReason.InboxFull;
        _unacknowledged++;
        IsAcknowledgementDue |= ahead != 0 || _unacknowledged >= MaxUnacknowledged || _eager-- > 0;
        if (ahead < 0)
            return null; // a duplicate, because the acknowledgement was lost
        if (ahead > 0)
        {
            _early[Slot(ahead)] ??= segment.Slice(sizeof(uint)).ToArray();
            return null;
        }

        // The sender has freed these segments, because they were acknowledged, and never sends them again. Hence also a full inbox receives them: at most 31.
        while (_early[Slot(0)] is { } next && TryDeliver(next, ref completes, mayExceed: true))
        {
        }

        return null;
    }

    /// <summary>Writes which segments have arrived and which are missing.</summary>
    public void WriteAcknowledgement(Span<byte> destination)
    {
        var arrived = 0u;
        for (var i = 1; i < ReliableSender.Window; i++)
            arrived |= _early[Slot(i)] is null ? 0 : 1u << i;
        BinaryPrimitives.WriteUInt32LittleEndian(destination, _missing);
        BinaryPrimitives.WriteUInt32LittleEndian(destination.Slice(sizeof(uint)), arrived);
        _unacknowledged = 0;
        IsAcknowledgementDue = false;
    }

    /// <summary>Zeroes the segments that arrived early.</summary>
    public void Clear()
    {
        foreach (var segment in _early)
            segment.AsSpan().Clear();
        _early.AsSpan().Clear();
    }

    private int Slot(int ahead) => (int)(unchecked(_missing + (uint)ahead) % ReliableSender.Window);

    private bool TryDeliver(ReadOnlySpan<byte> segment, ref bool completes, bool mayExceed)
    {
        if (!inbox.TryAdd(segment.Slice(1), out var now, mayExceed))
            return false;
        completes |= now;
        IsWithin = segment[0] == 1;
        _early[Slot(0)].AsSpan().Clear();
        _early[Slot(0)] = null;
        _missing = unchecked(_missing + 1);
        return true;
    }
}
