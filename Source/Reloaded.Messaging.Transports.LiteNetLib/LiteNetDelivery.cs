using System.Collections.Frozen;
using LiteNetLib;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The delivery of an event.</summary>
/// <param name="Method">The delivery method of LiteNetLib.</param>
/// <param name="Channel">The channel of LiteNetLib (0–63). Order is kept within a channel, and channels do not wait for each other.</param>
public readonly record struct LiteNetDelivery(DeliveryMethod Method, byte Channel = 0)
{
    /// <summary>Everything arrives, in order, on channel 0, as over TCP.</summary>
    public static LiteNetDelivery InOrder { get; } = new(DeliveryMethod.ReliableOrdered);

    /// <summary>Events may be lost, doubled and reordered.</summary>
    public static LiteNetDelivery Unreliable { get; } = new(DeliveryMethod.Unreliable);

    /// <summary>Events may be lost. An event that is older than the last received event is dropped.</summary>
    /// <param name="channel">The channel (0–63), below <see cref="LiteNetOptions.Channels"/>.</param>
    public static LiteNetDelivery Sequenced(byte channel = 0) => new(DeliveryMethod.Sequenced, channel);

    /// <summary>Only the last event is repeated until it arrives. Earlier events may be lost, and an older event is dropped.</summary>
    /// <param name="channel">The channel (0–63), below <see cref="LiteNetOptions.Channels"/>.</param>
    public static LiteNetDelivery ReliableSequenced(byte channel = 0) => new(DeliveryMethod.ReliableSequenced, channel);

    /// <summary>Every event arrives, in any order.</summary>
    /// <param name="channel">The channel (0–63), below <see cref="LiteNetOptions.Channels"/>.</param>
    public static LiteNetDelivery ReliableUnordered(byte channel = 0) => new(DeliveryMethod.ReliableUnordered, channel);

    /// <summary>Every event arrives, in the order of its channel.</summary>
    /// <param name="channel">The channel (0–63), below <see cref="LiteNetOptions.Channels"/>.</param>
    public static LiteNetDelivery ReliableOrdered(byte channel = 0) => new(DeliveryMethod.ReliableOrdered, channel);

    /// <summary>Whether each packet is kept until the remote side has received it. Only in this case, LiteNetLib divides messages that are too large for one packet.</summary>
    internal bool IsReliable => Method is DeliveryMethod.ReliableOrdered or DeliveryMethod.ReliableUnordered;
}
