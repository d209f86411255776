namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The queue that a subscription receives from.</summary>
/// <param name="Name">The name of the queue.</param>
/// <param name="Dead">The name of the queue of its dead letters; <c>null</c> if it has none.</param>
/// <param name="DeadCount">The number of dead letters there.</param>
internal readonly record struct DeclaredQueue(string Name, string? Dead, long DeadCount);
