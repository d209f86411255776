namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The state of a topic to which the queue publishes. Used under the lock of the queue.</summary>
internal sealed class TopicState(string key)
{
    public string Key => key;

    /// <summary>The number of the last message.</summary>
    public ulong LastNumber { get; set; }

    /// <summary>The number of messages that are not completed.</summary>
    public int Open { get; set; }

    /// <summary>The reason why the broker refuses every message of the topic over this connection; <see langword="null"/> if it does not.</summary>
    public string? Refusal { get; set; }

    /// <summary>The messages that wait because a queue of the topic is full; <see langword="null"/> if there are no such messages.</summary>
    public RefusedMessages? Refused { get; set; }

    /// <summary>The messages that wait because the broker does not confirm earlier ones of the topic over a channel that the queue has left; <see langword="null"/> if there are no such messages.</summary>
    public SilentMessages? Silent { get; set; }

    /// <summary>The number of the last channel over which the broker has replied to a message of the topic; 0 for none.</summary>
    public long KnownOn { get; set; }

    /// <summary>Whether the messages of the topic use the room of refused messages.</summary>
    public bool UsesRefusedRoom => Refused is not null || Silent is not null;
}
