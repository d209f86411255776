namespace Reloaded.Messaging;

/// <summary>The record of a sent datagram.</summary>
internal struct SentPacket
{
    /// <summary>The time at which it was sent.</summary>
    public long SentAt;

    /// <summary>The size of the datagram, in bytes; 0 if the datagram is not acknowledged.</summary>
    public int Size;

    /// <summary>The first segment in it.</summary>
    public uint FirstSegment;

    /// <summary>The number of segments in it.</summary>
    public int Segments;

    /// <summary>The channel of the segments.</summary>
    public byte Channel;

    /// <summary>The channels whose room it announces: a bit for each channel.</summary>
    public ushort Rooms;

    /// <summary>The bytes that were acknowledged before it was sent.</summary>
    public long Delivered;

    /// <summary>The time at which the last of them was acknowledged.</summary>
    public long DeliveredAt;

    /// <summary>The time at which the newest of them was sent.</summary>
    public long FirstSentAt;

    /// <summary>Whether the program, and not the path, limited the rate when it was sent.</summary>
    public bool IsLimited;

    public PacketState State;
}
