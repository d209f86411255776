namespace Reloaded.Messaging.Games;

/// <summary>Replies to a request, with the context of the sender. Runs on the thread that receives from the peer, or on the pumping thread. Return soon.</summary>
public delegate TReply ContextRequestHandler<TRequest, TReply, TContext>(in TRequest request, ref TContext context);
