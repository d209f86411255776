using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Handles events of a type. Each message has a scope and an instance from the services.</summary>
/// <typeparam name="TEvent">The type of the events.</typeparam>
/// <typeparam name="TFrom">The sender: a <see cref="Peer"/> for a server or a client. Hosts of other packages have other types.</typeparam>
public interface IEventHandler<TEvent, TFrom>
{
    /// <summary>Handles an event. Handlers of one sender start in the order of its messages and may complete in any order.</summary>
    /// <param name="message">The event.</param>
    /// <param name="from">The sender.</param>
    /// <param name="cancellationToken">Canceled when the handler must end, because the sender disconnected or the host is disposed.</param>
    ValueTask HandleAsync(TEvent message, TFrom from, CancellationToken cancellationToken);
}

/// <summary>Handles events of a type that peers send.</summary>
/// <inheritdoc cref="IEventHandler{TEvent, TFrom}"/>
public interface IEventHandler<TEvent> : IEventHandler<TEvent, Peer>;

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

/// <summary>Surrounds the handlers of a host: see <see cref="MessageHostBuilder.AddFilter{TFilter}"/>. One instance serves all messages.</summary>
public interface IHandlerFilter
{
    /// <summary>Calls <see cref="HandlerCall.NextAsync"/>, or refuses the message: returns, or throws a <see cref="RequestFaultException"/>.</summary>
    /// <param name="call">The call.</param>
    ValueTask InvokeAsync(HandlerCall call);
}
