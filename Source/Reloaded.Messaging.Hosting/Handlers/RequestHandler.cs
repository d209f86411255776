namespace Reloaded.Messaging.Hosting;

/// <summary>Answers a request. Runs on the thread that receives the request, or where the host is pumped. Return soon.</summary>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate TReply RequestHandler<TRequest, TReply, TFrom>(in TRequest request, TFrom from);
