namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The identity of a message.</summary>
/// <param name="Sender">The id of the sender.</param>
/// <param name="Topic">The topic.</param>
/// <param name="Number">The number of the message, or of the first message of a batch (at least 1).</param>
internal readonly record struct MessageId(string Sender, string Topic, ulong Number)
{
    public static MessageId Of(in Origin from) => new(from.Sender, from.Topic, from.Number);
}
