using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <summary>A packed message on its way out, in the queue's own place for it.</summary>
internal struct Outgoing
{
    public Segment Segment;
    public ReadOnlyMemory<byte> Message;
    public string Key;
    public string? Expiration;
    public ulong Number;
    public OutgoingKind Kind;
    public OutgoingState State;
    public bool IsRepeated;
    public bool IsSecret;
}
