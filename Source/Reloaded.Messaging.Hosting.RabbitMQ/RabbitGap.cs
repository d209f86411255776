namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Messages of the kind at most once that did not arrive: seen by the number of the next one that did.</summary>
/// <param name="Sender">Whose.</param>
/// <param name="Topic">The topic they were published to.</param>
/// <param name="First">The number of the first that is missing.</param>
/// <param name="Missed">How many are.</param>
public readonly record struct RabbitGap(string Sender, string Topic, ulong First, long Missed);
