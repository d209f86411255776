namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>An at-least-once message that the broker refused by closing the channel. The host has dropped the message.</summary>
/// <param name="Topic">The topic that the message was published to.</param>
/// <param name="Number">The number of the message (see <see cref="Origin.Number"/>).</param>
/// <param name="Reason">The reason of the broker, for example missing permissions or a size limit.</param>
public sealed record RefusedPublication(string Topic, ulong Number, string Reason);
