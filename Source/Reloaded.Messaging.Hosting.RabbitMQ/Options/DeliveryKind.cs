namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The delivery guarantee of a topic's messages. Publisher and subscriber must use the same kind.</summary>
public enum DeliveryKind
{
    /// <summary>Each message arrives once or not at all. Messages are not stored, confirmed or sent again. Missing messages are counted.</summary>
    AtMostOnce = 0,

    /// <summary>
    /// Each message arrives once or more often. The broker stores it, the publisher keeps it until the broker confirms it, and it is acknowledged
    /// after its handler has ended. A message that may have arrived before is marked: <see cref="Origin.IsRepeated"/>.
    /// </summary>
    AtLeastOnce,
}
