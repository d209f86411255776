namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>At-most-once messages that did not arrive. A gap is detected by the number of the next message that arrives.</summary>
/// <param name="Sender">The sender of the messages.</param>
/// <param name="Topic">The topic they were published to.</param>
/// <param name="First">The number of the first missing message.</param>
/// <param name="Missed">The number of missing messages.</param>
public readonly record struct RabbitGap(string Sender, string Topic, ulong First, long Missed);
