namespace Reloaded.Messaging.Hosting;

/// <content>Handlers, contracts, broadcasts, the pump, and counters.</content>
public abstract partial class MessageHost
{
    /// <summary>The handlers of events and requests.</summary>
    internal readonly HandlerTable<Peer, MessageContext> Handlers;

    internal MessageDispatcher<MessageContext> Dispatcher => Handlers.Dispatcher;

    /// <inheritdoc/>
    public override void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType = null) => Handlers.AddFilter(filter, messageType);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type that is handled, replied with or announced here.</exception>
    public override HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Contracts.Register(contract, null, Handlers.Prepare(contract, handler));
    }

    /// <inheritdoc/>
    /// <remarks>The token is canceled when the sender disconnects.</remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type that is handled, replied with or announced here.</exception>
    public override HandlerRegistration On<T>(MessageContract<T> contract, Func<T, Peer, CancellationToken, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Contracts.Register(contract, null, Handlers.Prepare(contract, handler));
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request or the reply belongs to another type that is handled, replied with or announced here.</exception>
    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentNullException.ThrowIfNull(replyContract);
        return Contracts.Register(contract, replyContract, Handlers.Prepare(contract, replyContract, handler));
    }

    /// <inheritdoc/>
    /// <remarks>The token is canceled when the sender disconnects or cancels the request.</remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request or the reply belongs to another type that is handled, replied with or announced here.</exception>
    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TRequest, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentNullException.ThrowIfNull(replyContract);
        return Contracts.Register(contract, replyContract, Handlers.Prepare(contract, replyContract, handler));
    }

    /// <summary>Registers the handler that checks the credentials of clients, by the declared contracts. Call it in the callback of <see cref="ListenAsync"/>. Only a client whose credentials are accepted becomes a peer.</summary>
    /// <param name="handler">
    /// Checks the first message of a connection, which must be a request of this type. The returned reply accepts the client. An exception refuses the client:
    /// it receives a fault, with the text of a <see cref="RequestFaultException"/>, and is disconnected with the same text.
    /// </param>
    /// <returns>The registration. After it is disposed, no client is accepted.</returns>
    /// <remarks>
    /// Before its credentials are accepted, a client is in no group, receives no broadcast, and <see cref="PeerConnected"/> is not raised for it. It must wait for the reply.
    /// Any other message disconnects the client, and so does exceeding <see cref="HostLimits.HandshakeTimeout"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when such a handler is registered, when the type has a handler, or when the server already listens.</exception>
    /// <exception cref="NotSupportedException">Thrown when the host is a client.</exception>
    public HandlerRegistration OnAuthenticate<TCredentials, TReply>(AsyncRequestHandler<TCredentials, TReply, Peer> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ThrowIfNoAuthentication();
        return Login.Register(handler);
    }

    /// <summary>Observes every message that this host sends and receives, except for the handshake: for loggers, recorders and tests.</summary>
    /// <param name="tap">The observer. Sent messages are observed when they are queued, received messages before their handlers are called.</param>
    /// <param name="includesSecrets">Whether to show the payloads of secret contracts (default: <see langword="false"/>). A host knows the secret contracts that it sends, requests, or handles. Fallback handlers have no contract.</param>
    /// <returns>The registration. Dispose it to end the observation. A call that runs on another thread may end later.</returns>
    /// <remarks>
    /// Messages of the library are observed too: pings, cancellations, goodbyes, and requests with ids above 4294901759. A message to many peers is observed once for each peer.
    /// A tap runs on the thread that sends or receives. Pings and announcements of contracts that this host sends are observed on the thread pool, from a copy.
    /// Without a tap, a message costs one load and one branch. With a tap, other messages allocate nothing in the library.
    /// </remarks>
    public IDisposable Tap(MessageTap tap, bool includesSecrets = false)
    {
        ArgumentNullException.ThrowIfNull(tap);
        return Taps.Add(tap, includesSecrets);
    }

    /// <summary>Lets every peer read the state of this host by <see cref="Peer.InspectAsync"/>, as <c>reloaded-messaging watch</c> does. Call it in the callback of <see cref="ListenAsync"/> or <see cref="ConnectAsync"/>.</summary>
    /// <returns>The registration. Dispose it to refuse further inspections.</returns>
    /// <remarks>
    /// An inspection contains the name and the id of the process, the addresses of all peers, the names of message types, and counts. It contains no payloads.
    /// Allow it where each client may know these. A published server accepts only clients of its user. Messages are counted only while a peer that has inspected is connected.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when inspection is allowed already.</exception>
    public HandlerRegistration AllowInspection() => HostInspector.Register(this);

    /// <summary>Announces the declared contract of a message that this host only sends.</summary>
    /// <inheritdoc cref="AnnounceContract(MessageContract)"/>
    public void AnnounceContract<T>() => AnnounceContract(MessageContract.GetDeclared<T>());

    /// <summary>Announces the contract of a message that this host only sends, so that the handshake compares it with the contract of the peer.</summary>
    /// <param name="contract">The contract. The host does not keep it alive. Keep a reference for as long as its messages are sent.</param>
    /// <remarks>
    /// Contracts of handlers and replies are announced by their registration. A peer that handles the type by another contract is refused with
    /// <see cref="DisconnectReason.WrongContract"/>, and <see cref="ContractMismatched"/> reports the difference on both sides; with
    /// <see cref="MessageHostOptions.AcceptsOtherContracts"/> it is only reported. Without the announcement such a peer is accepted, and a send to it returns
    /// <see cref="SendStatus.ContractMismatch"/>. Call it before the first peer connects. A later announcement is also sent to the connected peers.
    /// If the contract is secret, received messages of its type are zeroed and hidden from taps, also without a handler.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the id belongs to another type that is handled, replied with or announced here, or when the host has too many contracts.</exception>
    public void AnnounceContract(MessageContract contract) => Contracts.Announce(contract);

    /// <summary>Sets the delivery of the events of a type that this host sends, by its declared contract.</summary>
    /// <inheritdoc cref="Deliver(MessageContract, DeliveryMode)"/>
    public void Deliver<T>(DeliveryMode mode) => Deliver(MessageContract.GetDeclared<T>(), mode);

    /// <summary>Sets the delivery of the events of a type that this host sends.</summary>
    /// <param name="contract">The contract of the events.</param>
    /// <param name="mode">The delivery (default: <see cref="DeliveryMode.Unreliable"/>).</param>
    /// <remarks>
    /// Has an effect over <c>MessageEndpoint.Udp</c>, and over a transport of your own with a <see cref="DatagramChannel"/>. Other transports deliver every
    /// message reliably and in order; LiteNetLib has separate delivery options. Requests, replies and faults are always delivered as <see cref="DeliveryMode.ReliableOrdered"/>. The remote side needs no setting.
    /// Call it before the first peer connects. A later call affects the events that are sent after it.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the mode is not a value of the enum.</exception>
    /// <exception cref="InvalidOperationException">Thrown when 256 other types are sequenced.</exception>
    public void Deliver(MessageContract contract, DeliveryMode mode)
    {
        ArgumentNullException.ThrowIfNull(contract);
        Resources.Deliveries.Set(contract, mode);
    }

    /// <summary>Sends an event to every peer, by its type's declared contract. The message is packed once.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The number of peers to which the message was sent. A peer does not receive it if its outbox is full, if it does not accept the size, or if its contract of the type differs.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host.</exception>
    public int Broadcast<T>(in T message) => AllPeers.Broadcast(in message);

    /// <summary>Runs the continuations of asynchronous handlers, and the handlers of queued messages. Call it from one thread at a time.</summary>
    /// <param name="budget">The limit of messages or time, after which the call returns.</param>
    /// <returns>The work that was done.</returns>
    /// <exception cref="InvalidOperationException">Thrown when <see cref="MessageHostOptions.IsPumped"/> is <see langword="false"/>: the handlers run on the thread pool. Also thrown while another thread is inside this method.</exception>
    public PumpResult Pump(PumpBudget budget = default) => Inbox is { } inbox
        ? inbox.Pump(budget)
        : throw new InvalidOperationException("This host runs its handlers on the thread pool, so Pump has no work. Set MessageHostOptions.IsPumped.");

    /// <summary>Runs the code that each host needs, for example during a loading screen, so that the first messages and the first <see cref="Pump"/> do not wait for its compilation.</summary>
    /// <returns>A task that completes when the code has run. It runs on a temporary thread and on the thread pool.</returns>
    /// <remarks>Two temporary hosts of this process exchange a request. The code for the messages and handlers of the program is still compiled with their first message.</remarks>
    public static Task WarmUpAsync() => Task.Factory.StartNew(WarmUp, default, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Exchanges a request, on a thread that may wait. An asynchronous method would be three times as large.</summary>
    private static void WarmUp()
    {
        var endpoint = MessageEndpoint.InProcess(Guid.NewGuid().ToString());
        var contract = Acknowledgement.Contract;
        var server = ListenAsync(endpoint, options: new MessageHostOptions { IsPumped = true }).GetAwaiter().GetResult();
        try
        {
            _ = server.OnRequest(contract, contract, static (in Acknowledgement request, Peer _) => request);
            var client = ConnectAsync(endpoint).GetAwaiter().GetResult();
            var replying = client.RequestAsync(contract, contract, default).AsTask();
            for (var wait = default(SpinWait); !replying.IsCompleted; wait.SpinOnce())
                server.Pump();
            client.DisposeAsync().AsTask().GetAwaiter().GetResult();
            replying.GetAwaiter().GetResult();
        }
        finally
        {
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    /// <summary>Whether messages currently wait and <see cref="Pump"/> is not called: see <see cref="PumpStalled"/>. Updated about every 50 ms. <see langword="false"/> for a host that is not pumped.</summary>
    public bool IsPumpStalled => Inbox?.Watch.IsStalled ?? false;

    /// <summary>Returns the number of peers that disconnected for a reason, including refused connections.</summary>
    public long GetCount(DisconnectReason reason) => Resources.Disconnects[reason] + Resources.Refusals[reason];

    /// <summary>Returns the number of messages with a dispatch status, since the host was created. <see cref="DispatchStatus.Handled"/> is not counted.</summary>
    public long GetCount(DispatchStatus status) => Dispatcher.GetCount(status);

    /// <summary>Returns the number of datagrams, or of messages in datagrams, that were dropped for a reason. 0 for transports other than UDP, except for the errors of LiteNetLib: <see cref="DatagramDropReason.Failed"/>.</summary>
    public long GetCount(DatagramDropReason reason) => Datagrams.GetDropped(reason);

    /// <summary>Returns the number of messages to all peers that were not sent, by status. 0 for <see cref="SendStatus.Sent"/>, which is not counted.</summary>
    /// <remarks>Events, broadcasts, requests and replies are counted. A broadcast counts once for each peer that did not receive it. A <c>SendAsync</c> that waits is not counted as <see cref="SendStatus.Full"/>. A request that waits to be resent is counted once, when it ends.</remarks>
    public long GetCount(SendStatus status) => Resources.Sends[status];

    /// <summary>Returns the number of requests of this host that ended with a status. 0 for <see cref="RequestStatus.Replied"/>, which is not counted. A request that was sent again is counted once, when it ends.</summary>
    public long GetCount(RequestStatus status) => Resources.Requests[status];

    /// <summary>Returns the current values of the counters. Allocates the object that it returns.</summary>
    public HostStatistics GetStatistics()
    {
        var counts = new Counters<HostCounter>();
        foreach (var counter in Counters<HostCounter>.All)
            counts[counter] = Read(counter);
        return new HostStatistics(counts);
    }

    /// <summary>Returns the current value of a counter, from the object that counts.</summary>
    internal long Read(HostCounter counter) => counter switch
    {
        HostCounter.Peers => Registry.Count,
        HostCounter.HandlerFailures => Events.Failures.Count,
        HostCounter.RequestsTimedOut => RequestCounters.Timeouts,
        HostCounter.LateReplies => RequestCounters.LateReplies,
        HostCounter.FaultsSent => RequestCounters.FaultsSent,
        HostCounter.MisdirectedMessages => Handlers.Misdirected,
        HostCounter.RefusedConnections => Resources.Refusals.Sum(),
        HostCounter.SendsFull => Resources.Sends[SendStatus.Full],
        HostCounter.SendsClosed => Resources.Sends[SendStatus.Closed],
        HostCounter.SendsTooLarge => Resources.Sends[SendStatus.TooLarge],
        HostCounter.SendsMismatched => Resources.Sends[SendStatus.ContractMismatch],
        HostCounter.PendingBytes => Resources.PendingTotal.Taken,
        HostCounter.PumpStalls => Inbox?.Watch.Stalls ?? 0,
        _ => Resources.Counters[counter],
    };
}
