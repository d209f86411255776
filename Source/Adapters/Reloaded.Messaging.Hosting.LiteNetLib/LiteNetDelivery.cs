using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>The delivery of an event.</summary>
/// <param name="Method">The delivery method of LiteNetLib.</param>
/// <param name="Channel">The channel of LiteNetLib (0–63). Order is kept within a channel, and channels do not wait for each other.</param>
public readonly record struct LiteNetDelivery(DeliveryMethod Method, byte Channel = 0)
{
    /// <summary>Everything arrives, in order, on channel 0, as over TCP.</summary>
    public static LiteNetDelivery InOrder { get; } = new(DeliveryMethod.ReliableOrdered);

    /// <summary>Whether each packet is kept until the remote side has received it. Only in this case, LiteNetLib divides messages that are too large for one packet.</summary>
    internal bool IsReliable => Method is DeliveryMethod.ReliableOrdered or DeliveryMethod.ReliableUnordered;
}
