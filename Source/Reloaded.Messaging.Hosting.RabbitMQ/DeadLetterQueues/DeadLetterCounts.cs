namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a group at one moment.</summary>
/// <param name="DeadLetters">The number of dead letters that no program is reading now.</param>
/// <param name="Waiting">The number of messages that wait in the group's queue, or in all its partitions; 0 if the queue does not exist.</param>
/// <param name="Consumers">The number of consumers of the group's queue, or of all its partitions; 0 if no host is subscribed. A subscription may have two consumers.</param>
public readonly record struct DeadLetterCounts(long DeadLetters, long Waiting, long Consumers);
