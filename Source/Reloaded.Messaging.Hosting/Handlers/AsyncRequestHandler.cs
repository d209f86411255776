using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Answers a request asynchronously. Starts where the request is received, or where the host is pumped.</summary>
/// <remarks>A message host cancels the token when the peer is gone or has canceled the request. Other hosts say when they cancel the token.</remarks>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate ValueTask<TReply> AsyncRequestHandler<TRequest, TReply, TFrom>(TRequest request, TFrom from, CancellationToken cancellationToken);
