using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <content>Who handles what.</content>
public abstract partial class MessageHost
{
    private readonly ConcurrentDictionary<uint, (HandlerRegistration Registration, MessageContract Reply)> _answered = new();
    private bool _hasAsyncHandlers;

    /// <summary>Whether a type's handler may be asynchronous. While none is but that of credentials, the others are dispatched the shorter way.</summary>
    internal bool MayBeAsync(uint type) => _hasAsyncHandlers || type == CredentialsType;

    /// <summary>Whether messages of a type are requests here, where nothing in them says so.</summary>
    internal bool Answers(uint type) => _answered.ContainsKey(type);

    /// <summary>Handles events of a type, by its declared contract.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, PeerMessageHandler{T})"/>
    public HandlerRegistration On<T>(PeerMessageHandler<T> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Handles events of a type.</summary>
    /// <param name="contract">What its messages are on the wire.</param>
    /// <param name="handler">What to call. What it throws is counted and reported; the peer goes on.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler, or its id is that of another type that is replied with here.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, PeerMessageHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Register(contract, null, () => Dispatcher.Register(contract, (in T message, ref MessageContext delivery) =>
        {
            if (delivery.Kind == MessageKind.Event)
                handler(in message, delivery.Peer);
            else
                RefuseRequest(delivery, contract.Type);
        }));
    }

    /// <summary>Handles events of a type asynchronously. Handlers start in order, and may end in another.</summary>
    /// <param name="handler">What to call.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler, or its id is that of another type that is replied with here.</exception>
    public HandlerRegistration On<T>(Func<T, Peer, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var contract = MessageContract.GetDeclared<T>();
        _hasAsyncHandlers = true;
        return Register(contract, null, () => Dispatcher.Register(contract, (T message, MessageContext delivery, CancellationToken _) =>
        {
            if (delivery.Kind == MessageKind.Event)
                return handler(message, delivery.Peer);
            RefuseRequest(delivery, contract.Type);
            return default;
        }));
    }

    /// <summary>Answers requests of a type, by the types' declared contracts.</summary>
    /// <param name="handler">What to call. When it throws, the requester gets a fault without its message, or that of a <see cref="RequestFaultException"/>.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler, or it or its reply has the id of another type that is handled or replied with here.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TReply> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest((in TRequest request, Peer _) => handler(request));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(RequestHandler<TRequest, TReply> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);

    /// <summary>The same with contracts of the caller's.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentNullException.ThrowIfNull(replyContract);
        return Register(contract, replyContract, () => Dispatcher.Register(contract, (in TRequest request, ref MessageContext delivery) =>
        {
            if (delivery.Kind == MessageKind.Request)
                delivery.Peer.Reply(replyContract, handler(in request, delivery.Peer), contract.Type, delivery.CorrelationId);
            else
                CountMisdirected();
        }));
    }

    /// <summary>Answers requests of a type asynchronously, by the types' declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var (contract, replyContract) = (MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>());
        _hasAsyncHandlers = true;
        return Register(contract, replyContract, () => Dispatcher.Register(contract, (TRequest request, MessageContext delivery, CancellationToken _) =>
        {
            if (delivery.Kind == MessageKind.Request)
                return delivery.Peer.ReplyLaterAsync(replyContract, handler, request, contract.Type, delivery.CorrelationId);
            CountMisdirected();
            return default;
        }));
    }

    /// <summary>Registers a handler, and tells the peers of its contracts. Nobody hears of one that is refused.</summary>
    private HandlerRegistration Register(MessageContract contract, MessageContract? reply, Func<HandlerRegistration> register)
    {
        ArgumentNullException.ThrowIfNull(contract);
        NoteSecret(contract); // before the first message comes
        if (reply is not null)
            NoteSecret(reply);
        lock (_contracts)
        {
            ThrowIfTaken(contract);
            if (reply is not null)
                ThrowIfTaken(reply, beside: contract);
            var registration = register();
            TrackContract(contract);
            if (reply is null)
                return registration;
            TrackContract(reply);
            return NoteAnswering(contract.Type, registration, reply);
        }
    }

    /// <summary>Has a type's messages be requests for as long as its handler is registered.</summary>
    private HandlerRegistration NoteAnswering(uint type, HandlerRegistration registration, MessageContract reply)
    {
        _answered[type] = (registration, reply);
        return new HandlerRegistration(Remove, running: null);

        void Remove()
        {
            registration.Dispose();
            _answered.TryRemove(new(type, (registration, reply))); // its own: the type may have another by now
        }
    }

    private void RefuseRequest(MessageContext delivery, uint type)
    {
        CountMisdirected();
        delivery.Peer.SendFault(type, delivery.CorrelationId, FaultCode.NoHandler, "Messages of this type are handled here, and not answered.");
    }
}
