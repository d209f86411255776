using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Handles requests of a type. Each message has an instance from the services, in a scope of its own.</summary>
/// <typeparam name="TRequest">The type of the requests.</typeparam>
/// <typeparam name="TReply">The type of the replies.</typeparam>
public interface IRequestHandler<TRequest, TReply>
{
    /// <summary>Handles a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="peer">The sender.</param>
    /// <param name="cancellationToken">Canceled when the sender cancels the request or disconnects.</param>
    /// <returns>The reply. An exception is logged and ends the request with a fault; a <see cref="RequestFaultException"/> is sent with its code and text.</returns>
    ValueTask<TReply> HandleAsync(TRequest request, Peer peer, CancellationToken cancellationToken);
}
