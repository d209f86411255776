namespace Reloaded.Messaging;

/// <summary>What became of a message that was offered to a queue, and whose it is now.</summary>
public enum EnqueueStatus
{
    /// <summary>It is queued, and the queue's to release.</summary>
    Enqueued,

    /// <summary>It is queued, and the queue's to release. An older message was released to make room.</summary>
    DroppedOldest,

    /// <summary>The queue is full. The message is still the producer's.</summary>
    Full,

    /// <summary>The queue was disposed. The message is still the producer's.</summary>
    Closed,
}
