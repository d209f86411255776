using System;
using System.Diagnostics;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A packed message that waits in the queue for publication.</summary>
internal struct Outgoing
{
    public Segment Segment;
    public ReadOnlyMemory<byte> Message;
    public string Key;
    public string? Expiration;
    public ulong Number;
    public OutgoingKind Kind;

    /// <summary>The slot of the key of an event (see <see cref="PartitionSlot"/>); 0 without a key.</summary>
    public int Slot;

    /// <summary>The id that the program gave to an event; <see langword="null"/> for none.</summary>
    public string? Id;
    public bool IsRepeated;
    public bool IsSecret;

    /// <summary>Whether the topic of the message offers it again after a refusal.</summary>
    public bool IsReleased;

    /// <summary>The topic of an event; <see langword="null"/> for requests and replies.</summary>
    public TopicState? Topic;

    /// <summary>The flush that waits for the message.</summary>
    public FlushEpoch? Epoch;

    /// <summary>The delivery whose handler published the message, and which waits for its confirmation; <see langword="null"/> for most messages.</summary>
    public Delivery? Handled;

    /// <summary>The activity in which the message was published. It becomes the parent of the client library's activity.</summary>
    public Activity? Activity;

    /// <summary>The size of the message with respect to the limit of the queue.</summary>
    public readonly int Size => Message.Length + PublishQueue.Overhead;
}
