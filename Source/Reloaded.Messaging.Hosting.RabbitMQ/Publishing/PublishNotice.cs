namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>An event that a queue reports to the application.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Number">The number of the message that was refused.</param>
/// <param name="Waiting">The number of messages that wait, if the topic stalled.</param>
/// <param name="Reason">The broker's reason, if a message was refused; otherwise, <see langword="null"/>.</param>
internal readonly record struct PublishNotice(string Topic, ulong Number, int Waiting, string? Reason);
