namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Answers a request. Runs where its subscription receives: return soon.</summary>
public delegate TReply RabbitRequestHandler<TRequest, TReply>(in TRequest request, Origin from);
