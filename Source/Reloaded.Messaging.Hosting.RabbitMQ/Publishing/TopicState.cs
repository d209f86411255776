namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A topic that is published to. Under the queue's gate.</summary>
internal sealed class TopicState(string key)
{
    public string Key => key;

    /// <summary>The number of the last message.</summary>
    public ulong LastNumber { get; set; }

    /// <summary>The messages that are not done.</summary>
    public int Open { get; set; }

    /// <summary>Why the broker refuses every message of the topic over this connection; <see langword="null"/> if it does not.</summary>
    public string? Refusal { get; set; }

    /// <summary>The messages that wait because a queue of the topic is full; <see langword="null"/> if none is.</summary>
    public RefusedMessages? Refused { get; set; }

    /// <summary>Whether a message has to wait until the refused messages before it are taken.</summary>
    public bool Holds(in Outgoing message) => Refused is { IsStalled: false } && !message.IsReleased;
}
