namespace Reloaded.Messaging.Games;

/// <summary>Answers a request with the context of who sent it. Runs on the thread that receives from its peer, or where the host is pumped: return soon.</summary>
public delegate TReply ContextRequestHandler<TRequest, TReply, TContext>(in TRequest request, ref TContext context);
