namespace Reloaded.Messaging;

/// <summary>How frames must be delivered. The connection passes this hint to a channel that supports more than one kind of delivery.</summary>
public enum Delivery
{
    /// <summary>Each frame may be lost or reordered. A channel may use a more reliable delivery.</summary>
    Unreliable = 0,

    /// <summary>The frames must arrive, in order, before any frame that is sent after them. The first and last frames of a connection are sent in this way.</summary>
    Reliable,
}
