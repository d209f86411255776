namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A delivery of a message whose first handler still runs.</summary>
/// <param name="Consumer">The consumer that received it; <c>null</c> in the default value.</param>
/// <param name="Tag">The tag of the delivery.</param>
/// <param name="Tries">The number of deliveries of the message.</param>
internal readonly record struct Redelivery(Consumer? Consumer, ulong Tag, int Tries);
