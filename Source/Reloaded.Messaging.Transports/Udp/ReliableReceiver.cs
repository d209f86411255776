using System;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>Puts segments in order, and says which are there. Holds at most 32 that came early. One thread at a time.</summary>
internal sealed class ReliableReceiver(DatagramInbox inbox)
{
    public const int AcknowledgementSize = 2 * sizeof(uint);

    private readonly byte[]?[] _early = new byte[ReliableSender.Window][];
    private uint _missing;

    /// <summary>Whether a segment came that others belong to which did not come yet.</summary>
    public bool IsWithin { get; private set; }

    /// <summary>Takes a segment.</summary>
    /// <param name="segment">Its header and bytes.</param>
    /// <param name="completes">Whether a receive is to be completed now.</param>
    /// <returns>Null if it was taken, or had been before, and is to be acknowledged; otherwise why not.</returns>
    public DatagramDropReason? TryTake(ReadOnlySpan<byte> segment, ref bool completes)
    {
        if (segment.Length <= ReliableSender.HeaderSize || segment[sizeof(uint)] > 1)
            return DatagramDropReason.Malformed;
        var ahead = unchecked((int)(BinaryPrimitives.ReadUInt32LittleEndian(segment) - _missing));
        if (ahead < 0)
            return null; // its acknowledgement was lost
        if (ahead >= ReliableSender.Window)
            return DatagramDropReason.OutOfOrder;
        if (ahead > 0)
        {
            _early[Slot(ahead)] ??= segment.Slice(sizeof(uint)).ToArray();
            return null;
        }

        if (!TryDeliver(segment.Slice(sizeof(uint)), ref completes))
            return DatagramDropReason.InboxFull;
        while (_early[Slot(0)] is { } next && TryDeliver(next, ref completes))
        {
        }

        return null;
    }

    /// <summary>Writes what is there and what isn't.</summary>
    public void WriteAcknowledgement(Span<byte> destination)
    {
        var arrived = 0u;
        for (var i = 1; i < ReliableSender.Window; i++)
            arrived |= _early[Slot(i)] is null ? 0 : 1u << i;
        BinaryPrimitives.WriteUInt32LittleEndian(destination, _missing);
        BinaryPrimitives.WriteUInt32LittleEndian(destination.Slice(sizeof(uint)), arrived);
    }

    /// <summary>Zeroes what came early.</summary>
    public void Clear()
    {
        foreach (var segment in _early)
            segment.AsSpan().Clear();
        _early.AsSpan().Clear();
    }

    private int Slot(int ahead) => (int)(unchecked(_missing + (uint)ahead) % ReliableSender.Window);

    private bool TryDeliver(ReadOnlySpan<byte> segment, ref bool completes)
    {
        if (!inbox.TryAdd(segment.Slice(1), out var now))
            return false;
        completes |= now;
        IsWithin = segment[0] == 1;
        _early[Slot(0)].AsSpan().Clear();
        _early[Slot(0)] = null; // it may be there even if it came again: early, it found the inbox full when its turn was
        _missing = unchecked(_missing + 1);
        return true;
    }
}
