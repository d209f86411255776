using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Answers a request when it can. Starts where messages are received; the token is canceled when the requester is gone or has taken the request back.</summary>
public delegate ValueTask<TReply> AsyncRequestHandler<TRequest, TReply>(TRequest request, Peer from, CancellationToken cancellationToken);
