using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Who handles what.</content>
public sealed partial class RabbitHost
{
    /// <summary>Whether a handler may be asynchronous. While none is, messages are dispatched the shorter way.</summary>
    internal bool HasAsyncHandlers { get; private set; }

    /// <summary>Handles events of a type, by its declared contract.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, RabbitMessageHandler{T})"/>
    public HandlerRegistration On<T>(RabbitMessageHandler<T> handler) => On(MessageContract.GetDeclared<T>(), handler);

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
    public HandlerRegistration On<T>(MessageContract<T> contract, RabbitMessageHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        return Dispatcher.Register(contract, (in T message, ref Incoming incoming) =>
        {
            if (incoming.Kind == MessageKind.Event)
                handler(in message, incoming.From);
            else
                RefuseRequest(in incoming, contract.Type);
        });
    }

    /// <summary>Handles events of a type asynchronously. Handlers start in order, and may end in another. A message counts as handled when its handler ends.</summary>
    /// <remarks>A message of the kind at least once is acknowledged when its handler has ended and the broker has confirmed what the handler published at least once.</remarks>
    /// <param name="handler">What to call.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler.</exception>
    public HandlerRegistration On<T>(Func<T, Origin, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var contract = MessageContract.GetDeclared<T>();
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (T message, Incoming incoming, CancellationToken _) =>
        {
            if (incoming.Kind == MessageKind.Event)
                return handler(message, incoming.From);
            RefuseRequest(in incoming, contract.Type);
            return default;
        });
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
    public HandlerRegistration OnRequest<TRequest, TReply>(RabbitRequestHandler<TRequest, TReply> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var (contract, replyContract) = (MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>());
        return Dispatcher.Register(contract, (in TRequest request, ref Incoming incoming) =>
        {
            if (incoming.Kind == MessageKind.Request)
                Reply(replyContract, handler(in request, incoming.From), contract.Type, in incoming);
            else
                CountMisdirected();
        });
    }

    /// <summary>Answers requests of a type asynchronously, by the types' declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRabbitRequestHandler<TRequest, TReply> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var (contract, replyContract) = (MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>());
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (TRequest request, Incoming incoming, CancellationToken canceled) =>
        {
            if (incoming.Kind == MessageKind.Request)
                return ReplyLaterAsync(contract.Type, replyContract, handler, request, incoming, canceled);
            CountMisdirected();
            return default;
        });
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReplyLaterAsync<TRequest, TReply>(
        uint requestType,
        MessageContract<TReply> contract,
        AsyncRabbitRequestHandler<TRequest, TReply> handler,
        TRequest request,
        Incoming incoming,
        CancellationToken canceled)
    {
        var reply = await handler(request, incoming.From, canceled).ConfigureAwait(false);
        Reply(contract, in reply, requestType, in incoming);
    }

    private void RefuseRequest(in Incoming incoming, uint type)
    {
        CountMisdirected();
        SendFault(type, in incoming, FaultCode.NoHandler, "Messages of this type are handled here, and not answered.");
    }
}
