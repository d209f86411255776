namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A message of the kind at least once that the broker refused by closing the channel. The host has dropped the message.</summary>
/// <param name="Topic">The topic that the message was published to.</param>
/// <param name="Number">The message's number (see <see cref="Origin.Number"/>).</param>
/// <param name="Reason">The broker's reason, for example missing rights or a size limit.</param>
public sealed record RefusedPublication(string Topic, ulong Number, string Reason);
