namespace Reloaded.Messaging.Hosting;

/// <summary>Handles a request and returns the reply. Runs on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate TReply RequestHandler<TRequest, TReply, TFrom>(in TRequest request, TFrom from);
