using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Handlers, contracts, broadcasts, the pump, and counters.</content>
public abstract partial class MessageHost
{
    /// <summary>The handlers of events and requests.</summary>
    internal HandlerTable<Peer, MessageContext> Handlers { get; }

    internal MessageDispatcher<MessageContext> Dispatcher => Handlers.Dispatcher;

    /// <summary>Whether a type's handler may be asynchronous. While none is but that of credentials, the others are dispatched the shorter way.</summary>
    internal bool MayBeAsync(uint type) => Handlers.HasAsyncHandlers || type == Login.CredentialsType;

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
        return Contracts.Register(contract, null, () => Handlers.On(contract, handler));
    }

    /// <summary>Handles events of a type asynchronously. Handlers start in order, and may end in another.</summary>
    /// <param name="handler">What to call.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler, or its id is that of another type that is replied with here.</exception>
    public HandlerRegistration On<T>(Func<T, Peer, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var contract = MessageContract.GetDeclared<T>();
        return Contracts.Register(contract, null, () => Handlers.On(contract, handler));
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
        return Contracts.Register(contract, replyContract, () => Handlers.OnRequest(contract, replyContract, handler));
    }

    /// <summary>Answers requests of a type asynchronously, by the types' declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var (contract, replyContract) = (MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>());
        return Contracts.Register(contract, replyContract, () => Handlers.OnRequest(contract, replyContract, handler));
    }

    /// <summary>Lets nobody in whose credentials were not checked. By the types' declared contracts; in the callback of <see cref="ListenAsync"/>.</summary>
    /// <param name="handler">
    /// Checks a peer's first message, which has to be a request of this type. What it returns is the answer, and lets the peer in. What it throws keeps the
    /// peer out: it gets a fault, with the text of a <see cref="RequestFaultException"/>, and is disconnected with the same text.
    /// </param>
    /// <returns>The handle that removes it again; nobody gets in then.</returns>
    /// <remarks>
    /// Until it is let in a peer is in no group and gets no broadcast, and <see cref="PeerConnected"/> does not tell of it. Anything else that it sends
    /// disconnects it, and so does taking longer than <see cref="HostLimits.HandshakeTimeout"/>: it has to wait for the answer.
    /// </remarks>
    /// <exception cref="InvalidOperationException">There is one already, the type has a handler, or the server listens already: call it in the callback of <see cref="ListenAsync"/>.</exception>
    /// <exception cref="NotSupportedException">This is a client, which lets nobody in; or a <see cref="MessageEndpoint.LengthPrefix"/> is set, by which no message says that it is a request.</exception>
    public HandlerRegistration OnAuthenticate<TCredentials, TReply>(AsyncRequestHandler<TCredentials, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        if (this is MessageClient)
            throw new NotSupportedException("A client's one peer is the server, which it chose to connect to: there is nobody to let in. Have the server call OnAuthenticate, and check a server by MessageHostOptions.Token, MessageHostOptions.Protection or TlsOptions.");
        if (Resources.IsPlain)
            throw new NotSupportedException($"With LengthPrefix {Resources.Prefix} no message says that it is a request, as credentials have to be: nobody would get in. Leave MessageEndpoint.LengthPrefix out, or check them in a handler that calls DisconnectAsync.");
        if (this is MessageServer { IsStarted: true })
            throw new InvalidOperationException("The server listens already, and clients that connected before would be let in without credentials. Call OnAuthenticate in the callback of MessageHost.ListenAsync.");
        return Login.Register(handler);
    }

    /// <summary>Announces the declared contract of a message that this host only sends.</summary>
    /// <inheritdoc cref="AnnounceContract(MessageContract)"/>
    public void AnnounceContract<T>() => AnnounceContract(MessageContract.GetDeclared<T>());

    /// <summary>Announces the contract of a message that this host only sends, so that the handshake compares it with the peer's.</summary>
    /// <param name="contract">The contract. The host does not keep it alive: keep it for as long as its messages are sent.</param>
    /// <remarks>
    /// Contracts of handlers and replies are announced by their registration. A peer that handles the type by another contract is refused with
    /// <see cref="DisconnectReason.WrongContract"/>, and <see cref="ContractMismatched"/> reports the difference on both sides; with
    /// <see cref="MessageHostOptions.AcceptsOtherContracts"/> it is only reported. Without the announcement such a peer is accepted, and a send to it returns
    /// <see cref="SendStatus.ContractMismatch"/>. Call it before the first peer connects: a call later is compared with the peers that are connected.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the id belongs to another type that is handled, replied with or announced here, or when the host has too many contracts.</exception>
    public void AnnounceContract(MessageContract contract) => Contracts.Announce(contract);

    /// <summary>Sends an event to every peer: packed once. By its type's declared contract.</summary>
    /// <param name="message">The message.</param>
    /// <returns>To how many it was sent; those whose outbox was full did not get it.</returns>
    /// <exception cref="MessageTooLargeException">It exceeds a limit.</exception>
    public int Broadcast<T>(in T message) => AllPeers.Broadcast(in message);

    /// <summary>Sends an event to some peers: packed once.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <param name="peers">To whom.</param>
    /// <returns>To how many it was sent. Those whose outbox was full did not get it, nor those that take no messages of its size or know its type by another contract.</returns>
    /// <exception cref="MessageTooLargeException">It exceeds a limit of this host.</exception>
    public int Broadcast<T>(MessageContract<T> contract, in T message, IEnumerable<Peer> peers)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(peers);
        using var packed = Resources.Writer.Pack(contract, in message);
        var sent = 0;
        foreach (var peer in peers)
            sent += peer.TrySend(contract, packed) ? 1 : 0;
        return sent;
    }

    /// <summary>Runs the handlers of messages that came since the last call, and what awaits in earlier ones have waited for. One thread at a time.</summary>
    /// <param name="budget">When to stop.</param>
    /// <returns>What was done.</returns>
    /// <exception cref="InvalidOperationException">The host was made without <see cref="MessageHostOptions.IsPumped"/>: its handlers run on the thread pool.</exception>
    public PumpResult Pump(PumpBudget budget = default) => Pumping is { } pump
        ? pump.Pump(budget)
        : throw new InvalidOperationException("This host runs its handlers on the thread pool, and has nothing to pump. Make it with MessageHostOptions.IsPumped to have them run here.");

    /// <summary>How many peers are gone for a reason, strangers that were refused included.</summary>
    public long GetCount(DisconnectReason reason) => Counters.GetDisconnects(reason);

    /// <summary>How many messages got a status in dispatch, since the host was made. Handled ones are not counted.</summary>
    public long GetCount(DispatchStatus status) => Dispatcher.GetCount(status);

    /// <summary>How many datagrams, or messages in them, were not handed up for a reason. 0 for other transports.</summary>
    public long GetCount(DatagramDropReason reason) => Datagrams.GetDropped(reason);

    /// <summary>The number of messages that sends to the host's peers did not take, by status. 0 for <see cref="SendStatus.Sent"/>, which is not counted.</summary>
    /// <remarks>Events, broadcasts (once for each peer that did not get the message), requests and replies. A <c>SendAsync</c> that waits for room is not counted as <see cref="SendStatus.Full"/>. A request that is sent again later is counted once, by its end.</remarks>
    public long GetCount(SendStatus status) => Counters.Sends.Get(status);

    /// <summary>The counts so far.</summary>
    public HostStatistics GetStatistics() => new(
        Registry.All.Count,
        Events.Failures.Count,
        RequestCounters.Timeouts,
        RequestCounters.LateReplies,
        RequestCounters.FaultsSent,
        Counters.Malformed,
        Counters.UnknownControls,
        Handlers.Misdirected,
        Counters.FailedAccepts,
        Counters.LostFrames,
        Counters.OverMessageRate,
        Counters.OverByteRate,
        Counters.Sends.Get(SendStatus.Full),
        Counters.Sends.Get(SendStatus.Closed),
        Counters.Sends.Get(SendStatus.TooLarge),
        Counters.Sends.Get(SendStatus.ContractMismatch),
        Resources.PendingTotal.Taken,
        Pumping?.Watch.Stalls ?? 0);
}
