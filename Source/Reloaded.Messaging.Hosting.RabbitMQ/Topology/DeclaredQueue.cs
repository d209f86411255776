namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The queue from which a subscription receives.</summary>
/// <param name="Name">The name of the queue.</param>
/// <param name="Dead">The name of its dead-letter queue; <c>null</c> if the queue has no dead letters.</param>
/// <param name="DeadCount">The number of messages in the dead-letter queue.</param>
internal readonly record struct DeclaredQueue(string Name, string? Dead, long DeadCount);
