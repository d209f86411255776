namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What a message is for: by that it gets its exchange and its properties.</summary>
internal enum OutgoingKind : byte
{
    Event = 0,
    Request,
    Answer,
}
