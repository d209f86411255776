namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>An at-least-once topic with a queue that stays full.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Waiting">The number of its messages that wait in this host.</param>
public readonly record struct StalledTopic(string Topic, int Waiting);
