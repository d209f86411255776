namespace Reloaded.Messaging.Hosting;

/// <summary>What becomes of a peer that sends more than <see cref="HostLimits.MessagesPerSecond"/> or <see cref="HostLimits.BytesPerSecond"/>.</summary>
public enum OverflowAction
{
    /// <summary>It is disconnected.</summary>
    Disconnect,

    /// <summary>Messages over the rate are dropped and counted, of every kind. The peer stays connected.</summary>
    /// <remarks>
    /// A dropped request times out on the other side; a dropped cancellation lets its request's handler run to the end. A reply to a request of this side
    /// is never dropped. A peer that declares contracts over the rate is disconnected, since those must not be missed.
    /// </remarks>
    Drop,
}
