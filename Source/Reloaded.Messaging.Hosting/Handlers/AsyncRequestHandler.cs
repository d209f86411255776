using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Handles a request asynchronously. Starts on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>.</summary>
/// <remarks>A <see cref="MessageHost"/> cancels the token when the peer disconnects or cancels the request. Other hosts document when they cancel the token.</remarks>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate ValueTask<TReply> AsyncRequestHandler<TRequest, TReply, TFrom>(TRequest request, TFrom from, CancellationToken cancellationToken);
