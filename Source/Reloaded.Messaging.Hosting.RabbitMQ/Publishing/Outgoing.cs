using System;
using System.Diagnostics;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A packed message on its way out, in the queue's own place for it.</summary>
internal struct Outgoing
{
    public Segment Segment;
    public ReadOnlyMemory<byte> Message;
    public string Key;
    public string? Expiration;
    public ulong Number;
    public OutgoingKind Kind;
    public bool IsRepeated;
    public bool IsSecret;

    /// <summary>Whether its topic offers it again after a refusal.</summary>
    public bool IsReleased;

    /// <summary>The topic of an event; <see langword="null"/> for requests and answers.</summary>
    public TopicState? Topic;

    /// <summary>The flush that waits for the message.</summary>
    public FlushEpoch? Epoch;

    /// <summary>Waits for the confirmation of the message; <see langword="null"/> for most messages.</summary>
    public IConfirmation? Confirmation;

    /// <summary>The activity in which the message was published: the parent of the client library's own.</summary>
    public Activity? Activity;

    /// <summary>The size that counts against the queue's bound.</summary>
    public readonly int Size => Message.Length + PublishQueue.Overhead;
}
