namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Handles an event. Runs where its subscription receives: return soon.</summary>
public delegate void RabbitMessageHandler<T>(in T message, Origin from);
