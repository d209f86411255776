namespace Reloaded.Messaging;

/// <summary>How frames must be delivered. The connection passes this value to a channel that supports more than one kind of delivery. A channel may use a stricter delivery.</summary>
public readonly record struct Delivery
{
    private Delivery(DeliveryMode mode, byte order = 0, bool isBarrier = false) => (Mode, Order, IsBarrier) = (mode, order, isBarrier);

    /// <summary>Each frame may be lost or reordered. The default value.</summary>
    public static Delivery Unreliable => default;

    /// <summary>The frames must arrive, in order, before any frame that is sent after them. The frames of the handshake are sent in this way.</summary>
    public static Delivery Reliable => new(DeliveryMode.ReliableOrdered, isBarrier: true);

    /// <summary>The frames must arrive, in the order of all frames with this delivery. Frames of other deliveries that are sent later may arrive earlier.</summary>
    public static Delivery ReliableOrdered => new(DeliveryMode.ReliableOrdered);

    /// <summary>The guarantee.</summary>
    public DeliveryMode Mode { get; }

    /// <summary>The number of the order of <see cref="Sequenced"/> or <see cref="ReliableByType"/> frames; otherwise, 0.</summary>
    public byte Order { get; }

    /// <summary>Whether frames that are sent later must wait until these frames have arrived.</summary>
    internal readonly bool IsBarrier;

    /// <summary>Each frame may be lost. A frame is dropped if frames of the same order that were sent later have arrived before it.</summary>
    /// <param name="order">The number of the order (0–255). The two directions of a connection have separate orders.</param>
    public static Delivery Sequenced(byte order) => new(DeliveryMode.Sequenced, order);

    /// <summary>The frames must arrive, in the order of the frames with their number. Frames of other deliveries and orders do not wait for them.</summary>
    /// <param name="order">The number of the order (0–255). The two directions of a connection have separate orders.</param>
    public static Delivery ReliableByType(byte order) => new(DeliveryMode.ReliableByType, order);
}

/// <summary>The guarantee with which messages are delivered. A transport that delivers every message in order gives the strictest guarantee to all messages.</summary>
public enum DeliveryMode
{
    /// <summary>A message may be lost, and may arrive after messages that were sent later. It arrives at most once.</summary>
    Unreliable = 0,

    /// <summary>Newest only: a message may be lost, and is dropped if a newer message of its order has arrived before it.</summary>
    Sequenced,

    /// <summary>Every message arrives, once, in the order of all messages with this mode, with all requests and replies. Messages of the other modes do not wait for it.</summary>
    ReliableOrdered,

    /// <summary>Every message arrives, once, in the order of the messages of its type. Messages of other types do not wait for it, also if it is large.</summary>
    ReliableByType,
}
