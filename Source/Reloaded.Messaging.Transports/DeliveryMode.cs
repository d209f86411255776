namespace Reloaded.Messaging;

/// <summary>The guarantee with which messages are delivered. A transport that delivers every message in order gives the strictest guarantee to all messages.</summary>
public enum DeliveryMode
{
    /// <summary>A message may be lost, and may arrive after messages that were sent later. It arrives at most once.</summary>
    Unreliable = 0,

    /// <summary>Newest only: a message may be lost, and is dropped if a newer message of its stream has arrived before it.</summary>
    Sequenced,

    /// <summary>Every message arrives, once, in the order of all reliable messages. Messages of the other modes do not wait for it.</summary>
    ReliableOrdered,
}
