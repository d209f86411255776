using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Who handles what.</content>
public sealed partial class RabbitHost
{
    /// <summary>The handlers of events and requests.</summary>
    internal HandlerTable<Origin, Incoming> Handlers { get; }

    internal MessageDispatcher<Incoming> Dispatcher => Handlers.Dispatcher;

    /// <summary>Handles events of a type, by its declared contract.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, EventMessageHandler{T, Origin})"/>
    public HandlerRegistration On<T>(EventMessageHandler<T, Origin> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Handles events of a type.</summary>
    /// <remarks>
    /// A message of the kind at least once is acknowledged when its handler has returned and the broker has confirmed what the handler published at
    /// least once, with this host or another. If a publication is lost or the host says <see cref="SendStatus.Closed"/>, the message is handed out again.
    /// What the handler publishes on other threads after its return does not count.
    /// </remarks>
    /// <param name="contract">What its messages are on the wire.</param>
    /// <param name="handler">
    /// What to call. What it throws is counted and reported, and the subscription goes on; a message of the kind at least once is tried again, up to
    /// <see cref="RabbitOptions.MaxTries"/> times.
    /// </param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        return Handlers.On(contract, handler);
    }

    /// <summary>Handles events of a type asynchronously. Handlers start in order, and may end in another. A message counts as handled when its handler ends.</summary>
    /// <remarks>A message of the kind at least once is acknowledged when its handler has ended and the broker has confirmed what the handler published at least once.</remarks>
    /// <param name="handler">What to call.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler.</exception>
    public HandlerRegistration On<T>(Func<T, Origin, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Handlers.On(MessageContract.GetDeclared<T>(), handler);
    }

    /// <summary>Answers requests of a type, by the types' declared contracts.</summary>
    /// <param name="handler">What to call. When it throws, the requester gets a fault without its message, or that of a <see cref="RequestFaultException"/>.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TReply> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest((in TRequest request, Origin _) => handler(request));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(RequestHandler<TRequest, TReply, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Handlers.OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);
    }

    /// <summary>Answers requests of a type asynchronously, by the types' declared contracts.</summary>
    /// <remarks>The handler's token is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</remarks>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Handlers.OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);
    }
}
