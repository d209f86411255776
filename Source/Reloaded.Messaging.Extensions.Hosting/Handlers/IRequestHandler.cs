using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Handles requests of a type. Each message has a scope and an instance from the services.</summary>
/// <typeparam name="TRequest">The type of the requests.</typeparam>
/// <typeparam name="TReply">The type of the replies.</typeparam>
/// <typeparam name="TFrom">The sender: a <see cref="Peer"/> for a server or a client. Hosts of other packages have other types.</typeparam>
public interface IRequestHandler<TRequest, TReply, TFrom>
{
    /// <summary>Handles a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="from">The sender.</param>
    /// <param name="cancellationToken">Canceled when the handler must end, because the sender canceled the request or disconnected, or the host is disposed.</param>
    /// <returns>The reply. An exception is logged and ends the request with a fault; a <see cref="RequestFaultException"/> is sent with its code and text.</returns>
    ValueTask<TReply> HandleAsync(TRequest request, TFrom from, CancellationToken cancellationToken);
}

/// <summary>Handles requests of a type that peers send.</summary>
/// <inheritdoc cref="IRequestHandler{TRequest, TReply, TFrom}"/>
public interface IRequestHandler<TRequest, TReply> : IRequestHandler<TRequest, TReply, Peer>;
