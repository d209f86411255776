namespace Reloaded.Messaging.Hosting;

/// <summary>Answers a request. Runs on the thread that receives from its peer, or where the host is pumped: return soon.</summary>
public delegate TReply RequestHandler<TRequest, TReply>(in TRequest request, Peer from);
