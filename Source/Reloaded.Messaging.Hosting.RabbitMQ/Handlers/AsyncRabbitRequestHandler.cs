using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Answers a request when it can. Starts where its subscription receives; the token is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</summary>
public delegate ValueTask<TReply> AsyncRabbitRequestHandler<TRequest, TReply>(TRequest request, Origin from, CancellationToken cancellationToken);
