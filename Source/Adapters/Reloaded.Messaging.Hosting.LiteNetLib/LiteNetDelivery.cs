using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>How an event travels.</summary>
/// <param name="Method">LiteNetLib's delivery method.</param>
/// <param name="Channel">LiteNetLib's channel, 0 to 63: order is kept within one, and one does not wait for another.</param>
public readonly record struct LiteNetDelivery(DeliveryMethod Method, byte Channel = 0)
{
    /// <summary>Everything arrives, in order, on channel 0: as over TCP.</summary>
    public static LiteNetDelivery InOrder { get; } = new(DeliveryMethod.ReliableOrdered);

    /// <summary>Whether each packet is kept until the other side has it. LiteNetLib divides what is too large for a packet where that is so, and there alone.</summary>
    internal bool IsReliable => Method is DeliveryMethod.ReliableOrdered or DeliveryMethod.ReliableUnordered;
}
