namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What is promised of a topic's messages. Publisher and subscriber have to name the same.</summary>
public enum DeliveryKind
{
    /// <summary>Each arrives once or not at all: nothing is stored, confirmed or sent again. What is missing is counted.</summary>
    AtMostOnce = 0,

    /// <summary>
    /// Each arrives once or more often: stored by the broker, kept here until it confirms that, and acknowledged once the handler is done. What
    /// may have arrived before is marked: <see cref="Origin.IsRepeated"/>.
    /// </summary>
    AtLeastOnce,
}
