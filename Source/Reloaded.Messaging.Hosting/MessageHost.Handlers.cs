using System;
using System.Collections.Concurrent;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Who handles what.</content>
public abstract partial class MessageHost
{
    private readonly ConcurrentDictionary<uint, (HandlerRegistration Registration, MessageContract Reply)> _answered = new();

    /// <summary>The handlers of events and requests.</summary>
    internal HandlerTable<Peer, MessageContext> Handlers { get; }

    internal MessageDispatcher<MessageContext> Dispatcher { get; }

    /// <summary>Whether a type's handler may be asynchronous. While none is but that of credentials, the others are dispatched the shorter way.</summary>
    internal bool MayBeAsync(uint type) => Handlers.HasAsyncHandlers || type == CredentialsType;

    /// <summary>Whether messages of a type are requests here, where nothing in them says so.</summary>
    internal bool Answers(uint type) => _answered.ContainsKey(type);

    /// <summary>Handles events of a type, by its declared contract.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, EventMessageHandler{T, Peer})"/>
    public HandlerRegistration On<T>(EventMessageHandler<T, Peer> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Handles events of a type.</summary>
    /// <param name="contract">What its messages are on the wire.</param>
    /// <param name="handler">What to call. What it throws is counted and reported; the peer goes on.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler, or its id is that of another type that is replied with here.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Register(contract, null, () => Handlers.On(contract, handler));
    }

    /// <summary>Handles events of a type asynchronously. Handlers start in order, and may end in another.</summary>
    /// <param name="handler">What to call.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler, or its id is that of another type that is replied with here.</exception>
    public HandlerRegistration On<T>(Func<T, Peer, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var contract = MessageContract.GetDeclared<T>();
        return Register(contract, null, () => Handlers.On(contract, handler));
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
    public HandlerRegistration OnRequest<TRequest, TReply>(RequestHandler<TRequest, TReply, Peer> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);

    /// <summary>The same with contracts of the caller's.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentNullException.ThrowIfNull(replyContract);
        return Register(contract, replyContract, () => Handlers.OnRequest(contract, replyContract, handler));
    }

    /// <summary>Answers requests of a type asynchronously, by the types' declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var (contract, replyContract) = (MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>());
        return Register(contract, replyContract, () => Handlers.OnRequest(contract, replyContract, handler));
    }

    /// <summary>Registers a handler, and tells the peers of its contracts. Nobody hears of one that is refused.</summary>
    private HandlerRegistration Register(MessageContract contract, MessageContract? reply, Func<HandlerRegistration> register)
    {
        ArgumentNullException.ThrowIfNull(contract);
        Resources.NoteSecret(contract); // before the first message comes
        if (reply is not null)
            Resources.NoteSecret(reply);
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
        return new HandlerRegistration(Remove);

        void Remove()
        {
            registration.Dispose();
            _answered.TryRemove(new(type, (registration, reply))); // its own: the type may have another by now
        }
    }
}
