using System.Net;
using LiteNetLib;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The contents of a reliable packet, by which the channel counts its arrival. Immutable, and shared by all packets with the same contents.</summary>
internal sealed class SentPacket
{
    private const int MaxShared = 512; // a packet of about 1,000 bytes contains no more messages

    private static readonly SentPacket?[] s_inOrder = new SentPacket?[MaxShared + 1];
    private static readonly SentPacket?[] s_overtaking = new SentPacket?[MaxShared + 1];

    private SentPacket(int events, bool mayBeOvertaken) => (Events, MayBeOvertaken) = (events, mayBeOvertaken);

    /// <summary>A packet with messages that no event may overtake, and without events.</summary>
    public static SentPacket Control { get; } = new(0, mayBeOvertaken: false);

    /// <summary>The number of events in the packet.</summary>
    public int Events { get; }

    /// <summary>Whether packets that are sent in order may overtake the packet.</summary>
    public bool MayBeOvertaken { get; }

    /// <summary>Returns the object for a packet with events, or with requests and events; <c>null</c> for a packet without events, which needs no object.</summary>
    public static SentPacket? OfEvents(int events, bool mayBeOvertaken)
    {
        if (events == 0)
            return null;
        if (events > MaxShared)
            return new SentPacket(events, mayBeOvertaken);
        ref var shared = ref (mayBeOvertaken ? s_overtaking : s_inOrder)[events];
        return Volatile.Read(ref shared) ?? Interlocked.CompareExchange(ref shared, new SentPacket(events, mayBeOvertaken), null) ?? shared;
    }
}
