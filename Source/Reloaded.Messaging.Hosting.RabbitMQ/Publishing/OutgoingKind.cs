namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The purpose of a message, which determines its exchange and its properties.</summary>
internal enum OutgoingKind : byte
{
    Event = 0,
    Request,
    Answer,
}
