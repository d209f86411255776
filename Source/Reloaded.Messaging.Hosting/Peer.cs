using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The remote side of a connection. A program sends events and requests to it, and handlers receive it as the sender of a message.</summary>
/// <remarks>Thread-safe. A <see cref="PeerState{T}"/> keeps a value of the program for each peer. Messages of one thread arrive in the order in which they were sent, over every transport that keeps order.</remarks>
/// <example><code>
/// await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(9050), host =&gt;
/// {
///     host.PeerConnected += peer =&gt; _ = peer.Send(new Say($"Welcome, {peer.RemoteName}"));
///     host.On((Say say, Peer from) =&gt; say.Text.Length &gt; 100 ? from.KickAsync("Your text is too long.") : Task.CompletedTask);
/// });
///
/// [Message(3)] public sealed record Say(string Text);
/// </code></example>
public sealed class Peer
{
    internal Peer(MessageHost host, TransportChannel channel, long id)
    {
        (Host, Id) = (host, id);
        Connection = new Connection(channel, host.Resources, this, needsLogin: host.Login.CredentialsType is not null);
        Requests = new RequestSender(Connection, this, host.Resources, host.RequestCounters);
        Replies = new ReplySender(Connection, this, host.Resources, host.RequestCounters);
        Answering = new InFlightRequests(host.Events, this);
        RateLimit = PeerRateLimit.TryCreate(host.Options);
        Groups = new GroupMemberships(this);
    }

    /// <summary>The id of the peer. It is unique among all peers of the host, including disconnected peers.</summary>
    public long Id { get; }

    /// <summary>The host that the peer is connected to.</summary>
    public MessageHost Host { get; }

    /// <summary>The address, path or name of the remote side, for log messages.</summary>
    public string RemoteName => Connection.RemoteName;

    /// <summary>The address by which limits and bans identify the peer: an IPv4 address, or the 64-bit network of an IPv6 address; <see langword="null"/> for a program of this machine.</summary>
    public string? RemoteIdentity => Connection.RemoteIdentity;

    /// <summary>The account by which bans identify the peer (default: <see langword="null"/>). The program sets it, for example in the handler of <see cref="MessageHost.OnAuthenticate"/>, which then refuses a banned account.</summary>
    public string? Account { get; set; }

    /// <summary>The time that <see cref="PeerStatistics.RoundTripTime"/> shows.</summary>
    internal TimeSpan RoundTripTime => Connection.KeepAlive.RoundTripTime;

    /// <summary>Whether messages can be sent to the peer.</summary>
    public bool IsConnected => Connection.IsConnected;

    /// <summary>The reason why the peer disconnected; <see langword="null"/> while it is not disconnected.</summary>
    public DisconnectReason? Disconnected => Connection.EndReason;

    /// <summary>The reason that the remote side gave when it disconnected this side. Read it when <see cref="Disconnected"/> is <see cref="DisconnectReason.Goodbye"/>. <see langword="null"/> if the remote side gave no reason, or one that this version does not know.</summary>
    public DisconnectReason? GoodbyeReason => Connection.Goodbye?.Reason;

    /// <summary>The text that the remote side sent when it disconnected this side, at most 1,024 bytes of UTF-8; <see langword="null"/> if it sent no text.</summary>
    public string? GoodbyeText => Connection.Goodbye?.Text;

    /// <summary>The maximum size of a message to this peer, in bytes. Limited by the remote side and by the transport.</summary>
    public int MaxMessageSize => Connection.Sender.MaxMessageSize;

    /// <summary>Counts an exception of a listener of spans or durations, and raises the host's event.</summary>
    internal Action<Exception> ObserverFailed => field ??= e => Host.Events.ReportFailure(this, 0, e); // created at the first observed message

    internal readonly Connection Connection;

    internal readonly RequestSender Requests;

    internal readonly ReplySender Replies;

    /// <summary>The requests of the remote side that wait for a pump, or whose handlers run.</summary>
    internal readonly InFlightRequests Answering;

    /// <summary>The rates of the peer, and the time since its last message; <see langword="null"/> if the host does not limit them.</summary>
    internal readonly PeerRateLimit? RateLimit;

    internal readonly GroupMemberships Groups;

    /// <summary>The events that were raised for the peer.</summary>
    internal int Announcement;

    internal int RunningHandlers;

    private TaskCompletionSource? _handlerEnded;

    /// <summary>The number of streams and files that the peer still reads.</summary>
    internal int OpenStreams;

    /// <summary>The reports of requests of the remote side; <see langword="null"/> until the remote side opens them. Only the receive loop sets it.</summary>
    internal RequestReports? Reports;

    /// <summary>The number of messages that were received for the pump. Only the receive loop changes it.</summary>
    internal int ForPump;

    /// <summary>The number of messages whose call in the pump has returned. Only the pumping thread changes it.</summary>
    internal int Pumped;

    /// <summary>Whether messages of the peer wait for the pump, or one is handled in it.</summary>
    internal bool IsPumped => Volatile.Read(ref ForPump) != Volatile.Read(ref Pumped);

    /// <summary>Whether an asynchronous handler of the peer runs, or the peer still reads a stream or a file.</summary>
    internal bool HasWork => Volatile.Read(ref RunningHandlers) > 0 || Volatile.Read(ref OpenStreams) > 0;

    /// <summary>1 if the next tick of the host checks the peer; otherwise, 0. See <see cref="HostResources.Watch"/>.</summary>
    internal int IsWatched;

    /// <summary>The next peer of <see cref="HostResources.Watched"/>.</summary>
    internal Peer? NextWatched;

    /// <summary>The values of the program for the peer, the newest one first: see <see cref="PeerState{T}"/>.</summary>
    internal PeerStateHolder? States;

    /// <summary>Returns the number of messages to this peer that were not sent, by status. 0 for <see cref="SendStatus.Sent"/>, which is not counted.</summary>
    /// <remarks><see cref="MessageHost.GetCount(SendStatus)"/> describes which messages are counted.</remarks>
    public long GetCount(SendStatus status) => Connection.Sender.Sends[status];

    /// <summary>Returns the statistics of the connection to the peer. Thread-safe. Allocates nothing.</summary>
    public PeerStatistics GetStatistics() => new(
        TimeSpan.FromMilliseconds(Math.Max(0, Environment.TickCount64 - Connection.Reader.ReceivedAt)),
        RoundTripTime,
        Connection.Outbox.SentBytes,
        Connection.Reader.ReceivedBytes,
        Connection.Outbox.PendingBytes,
        Connection.OutdatedDatagrams,
        Connection.Path);

    /// <summary>Delays the writing of messages to the peer until <see cref="Uncork"/>, so that they are written together. Calls nest.</summary>
    /// <remarks>Messages are written earlier when more than 64 KiB wait, and by the host's timer about every 50 ms. Thread-safe. Allocates nothing.</remarks>
    public void Cork()
    {
        Connection.Outbox.Cork();
        Host.Resources.Watch(this);
    }

    /// <summary>Ends a <see cref="Cork"/>. The last call starts to write on this thread, as far as the transport accepts the bytes at once.</summary>
    public void Uncork() => Connection.Outbox.Uncork();

    /// <summary>Sends an event by its type's declared contract. Never waits.</summary>
    /// <inheritdoc cref="Send{T}(MessageContract{T}, in T)"/>
    public SendStatus Send<T>(in T message) => Send(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event. Never waits.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="message">The message.</param>
    /// <returns><see cref="SendStatus.Sent"/> if the message is queued; otherwise, the reason why it is not. Only the reply to a request confirms that the remote side received a message.</returns>
    /// <remarks>Never throws because of the peer: a full, closed or refused message is a status, and is counted.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public SendStatus Send<T>(MessageContract<T> contract, in T message) => MessageOperation.IsTraced
        ? SendTraced(contract, in message, isLast: true, out _)
        : Connection.Sender.Send(contract, in message, isLast: true, out _);

    /// <summary>Sends a packed message, for example to many peers. The caller keeps ownership of the message and disposes it.</summary>
    /// <returns><see cref="SendStatus.Sent"/> if the message is queued; otherwise, the reason why it is not. Only the reply to a request confirms that the remote side received a message.</returns>
    /// <remarks>The contract of the message is not compared with the peer's contract.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of the transport.</exception>
    public SendStatus Send(PackedMessage message)
    {
        Connection.Sender.ThrowIfTooLarge(message, null);
        return Send(message, isLast: true, out _);
    }

    /// <summary>Sends an event by its type's declared contract. Waits while the outbox is full.</summary>
    /// <inheritdoc cref="SendAsync{T}(MessageContract{T}, T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(T message, CancellationToken cancellationToken = default) =>
        SendAsync(MessageContract.GetDeclared<T>(), message, cancellationToken);

    /// <summary>Sends an event. Waits while the outbox is full.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The status, which is never <see cref="SendStatus.Full"/>.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled. The message was not sent.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public ValueTask<SendStatus> SendAsync<T>(MessageContract<T> contract, T message, CancellationToken cancellationToken = default)
    {
        var status = SendOnce(contract, in message, out var size);
        return status == SendStatus.Full ? WaitAndSendAsync(contract, message, size, cancellationToken) : new ValueTask<SendStatus>(Connection.Sender.Count(status));
    }

    /// <summary>Sends a packed message. Waits while the outbox is full. The caller keeps ownership of the message, and disposes it after the task has completed.</summary>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The status, which is never <see cref="SendStatus.Full"/>.</returns>
    /// <remarks>The contract of the message is not compared with the peer's contract.</remarks>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled. The message was not sent.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of the transport.</exception>
    public ValueTask<SendStatus> SendAsync(PackedMessage message, CancellationToken cancellationToken = default)
    {
        Connection.Sender.ThrowIfTooLarge(message, null);
        var status = Send(message, isLast: false, out var size);
        return status == SendStatus.Full ? WaitAndSendAsync(message, size, cancellationToken) : new ValueTask<SendStatus>(Connection.Sender.Count(status));
    }

    /// <summary>Sends a request and waits for its reply, whose type the request names. By the declared contracts of the request and the reply.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once. <see cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/> does not.</remarks>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.Start(ContractOf(request), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request without a reply and waits until the remote handler has completed.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once.</remarks>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    /// <returns>The acknowledgement of the remote side. Await the task once.</returns>
    public ValueTask<Acknowledgement> RequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.Start(ContractOf(request), Acknowledgement.Contract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for its reply, by the declared contracts of the request and the reply.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request. The remote side is notified.</param>
    /// <returns>The reply. Await the task once. Its continuation does not run on the receiving thread, unless <see cref="MessageHostOptions.AllowSynchronousContinuations"/> is set.</returns>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="TimeoutException">Thrown when no reply arrived within the timeout.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    /// <exception cref="RequestFailedException">Thrown when the request was not sent, when the peer disconnected, or when the reply cannot be read.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        RequestAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken);

    /// <summary>Sends a request and waits for its reply, by the given contracts.</summary>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="replyContract">The contract of the reply.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request. The remote side is notified.</param>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Requests.Start(contract, replyContract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request, which names the type of its reply, and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once. <see cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/> does not.</remarks>
    /// <inheritdoc cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.Start(ContractOf(request), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ResultTask;

    /// <summary>Sends a request without a reply and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once.</remarks>
    /// <inheritdoc cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    /// <returns>The status, which is <see cref="RequestStatus.Replied"/> if the remote handler has completed. Await the task once.</returns>
    public ValueTask<RequestResult<Acknowledgement>> TryRequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.Start(ContractOf(request), Acknowledgement.Contract, in request, timeout, cancellationToken).ResultTask;

    /// <summary>Sends a request and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request. The remote side is notified.</param>
    /// <returns>The reply, or the status that describes the failure. Await the task once.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        TryRequestAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken);

    /// <summary>Sends a request, by the given contracts, and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="replyContract">The contract of the reply.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request. The remote side is notified.</param>
    /// <inheritdoc cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Requests.Start(contract, replyContract, in request, timeout, cancellationToken).ResultTask;

    /// <summary>Reads the state of the remote host, which must have called <see cref="MessageHost.AllowInspection"/>.</summary>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <returns>The state, or the status that describes the failure: <see cref="RequestStatus.Faulted"/> with <see cref="FaultCode.NoHandler"/> if the remote host does not allow inspections.</returns>
    public ValueTask<RequestResult<HostInspection>> InspectAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        TryRequestAsync<InspectHost, HostInspection>(new InspectHost(), timeout, cancellationToken);

    /// <summary>Completes when every message that was sent before this call is written, or when the peer has disconnected.</summary>
    public Task FlushAsync()
    {
        var written = Connection.Outbox.FlushAsync();
        return written.IsCompleted ? written : AwaitAsync(written);

        // The outbox completes its waits under its lock, where the synchronization context of the caller must not be called.
        static async Task AwaitAsync(Task written) => await written.ConfigureAwait(false);
    }

    /// <summary>Disconnects the peer: sends a goodbye, and writes queued messages for up to <see cref="MessageHostOptions.FlushTimeout"/>.</summary>
    public Task DisconnectAsync() => Connection.CloseAsync(DisconnectReason.Requested, awaitsEnd: Announcement == PeerAnnouncement.Made);

    /// <summary>Disconnects the peer with a text, which the remote side reads from <see cref="GoodbyeText"/>. Queued messages are written first, for up to <see cref="MessageHostOptions.FlushTimeout"/>.</summary>
    /// <param name="reason">The text for users or logs, at most 1,024 bytes of UTF-8.</param>
    /// <exception cref="ArgumentException">Thrown when the text is longer.</exception>
    public Task KickAsync(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        Goodbye.ThrowIfTooLong(reason);
        return Connection.CloseAsync(DisconnectReason.Kicked, awaitsEnd: Announcement == PeerAnnouncement.Made, reason);
    }

    /// <summary>Disconnects the peer, and refuses its <see cref="Account"/>, or its <see cref="RemoteIdentity"/> if it has no account, for a time: see <see cref="MessageServer.Bans"/>.</summary>
    /// <param name="duration">The duration; <see cref="TimeSpan.MaxValue"/> for no end.</param>
    /// <param name="reason">The text for the client, at most 1,024 bytes of UTF-8; <see langword="null"/> for a text with the end of the ban.</param>
    /// <returns>The ban.</returns>
    /// <exception cref="ArgumentException">Thrown when the text is longer.</exception>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the duration is zero or negative.</exception>
    /// <exception cref="InvalidOperationException">Thrown when the peer is a server, or when it has no account and is a program of this machine.</exception>
    public Ban Ban(TimeSpan duration, string? reason = null)
    {
        if (Host is not MessageServer server)
            throw new InvalidOperationException("A client cannot ban its server. Call DisconnectAsync.");
        return server.Bans.Add(Account ?? RemoteIdentity ?? throw new InvalidOperationException($"{RemoteName} is a program of this machine and has no address of its own. Set Peer.Account, for example in the handler of OnAuthenticate."), duration, reason);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{RemoteName} (peer {Id})";

    /// <summary>Returns the text for a client that is banned; <c>null</c> if the ban has been lifted.</summary>
    internal string? DescribeBan() => (Host as MessageServer)?.Bans.Find(this)?.Text;

    /// <summary>Returns the contract of a request that is passed as an interface.</summary>
    internal static MessageContract ContractOf(object request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return MessageContract.GetDeclared(request.GetType());
    }

    /// <summary>Sends a message that was packed for many peers, if this peer accepts it.</summary>
    internal bool TrySend(MessageContract contract, PackedMessage packed, MessageOperation? operation, ref FlushChain chain)
    {
        var context = operation is null ? null : Connection.Sender.PackTraceContext(operation, contract.Type, 0);
        return Connection.Sender.SendShared(contract, packed, context, ref chain) == SendStatus.Sent;
    }

    /// <summary>Sends a ping, unless the last one is more recent than an interval.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    /// <param name="interval">The interval, in milliseconds.</param>
    internal void PingIfDue(long now, double interval)
    {
        if (Connection.KeepAlive.IsPingDue(now, interval) && Connection.AcceptsMessages && Host.Registry.IsConnected(this)) // a ping before the last hello would fail the handshake
            Connection.Ping(now);
    }

    /// <summary>Whether a tick of the host has work for the peer: corked messages, requests, or the first ping.</summary>
    /// <inheritdoc cref="PingIfDue"/>
    internal bool NeedsTick(long now, double interval) =>
        Connection.IsConnected && (Connection.Outbox.IsCorked || Requests.Unanswered.HasDeadline || Connection.KeepAlive.IsPingDue(now, interval));

    /// <summary>Receives messages from the peer until it disconnects, on the thread pool, because the first handler may block. Called once, after the handshake.</summary>
    internal void StartReceiving() => _ = Detached.Run(new ReceiveLoop(Host, this).RunAsync);

    /// <summary>Counts the start of an asynchronous handler.</summary>
    /// <returns>The number of running handlers.</returns>
    internal int NoteHandlerStarted()
    {
        var count = Interlocked.Increment(ref RunningHandlers);
        if (count == 1 && Disconnected is not null)
            Host.Registry.NoteWork(this); // the message waited for a pump
        return count;
    }

    /// <summary>Counts the end of an asynchronous handler.</summary>
    internal void NoteHandlerEnded()
    {
        if (Interlocked.Decrement(ref RunningHandlers) == 0 && Disconnected is not null)
            Host.Registry.NoteWork(this);
        Volatile.Read(ref _handlerEnded)?.TrySetResult();
    }

    /// <summary>Returns a task that completes when a handler ends, or <c>null</c> if fewer handlers run than the limit. Only the receive loop calls it.</summary>
    internal Task? WaitForHandler()
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Interlocked.Exchange(ref _handlerEnded, ended); // before the count is read, so that no end is missed
        return HasTooManyHandlers ? ended.Task : null;
    }

    /// <summary>Whether as many handlers run as the limit allows.</summary>
    internal bool HasTooManyHandlers => Volatile.Read(ref RunningHandlers) >= Host.Options.Limits.MaxRunningHandlers;

    /// <summary>Ends the requests of both sides. Called once, on the thread that ended the connection.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="defersEvents">Whether to raise events on the thread pool, because the calling thread must not wait for them.</param>
    internal void OnEnded(DisconnectReason reason, bool defersEvents)
    {
        Requests.Unanswered.Close();
        Answering.Close();
        Host.Registry.Forget(this, reason, defersEvents);
    }

    /// <summary>Ends the reports of a request before its reply or its fault is sent.</summary>
    internal void EndReports(uint correlationId)
    {
        if (Reports is { Count: > 0 } open)
            open.End(correlationId);
    }

    private SendStatus SendOnce<T>(MessageContract<T> contract, in T message, out int size) => MessageOperation.IsTraced
        ? SendTraced(contract, in message, isLast: false, out size)
        : Connection.Sender.Send(contract, in message, isLast: false, out size);

    private SendStatus Send(PackedMessage packed, bool isLast, out int size)
    {
        size = packed.Length;
        return MessageOperation.IsTraced ? SendPackedTraced(null, packed, isLast, out size) : Connection.Sender.Send(null, packed, isLast);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SendStatus SendTraced<T>(MessageContract<T> contract, in T message, bool isLast, out int size)
    {
        using var packed = Connection.Sender.Pack(contract, in message);
        return SendPackedTraced(contract, packed, isLast, out size);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SendStatus SendPackedTraced(MessageContract? contract, PackedMessage packed, bool isLast, out int size)
    {
        var type = SendTrace.TypeOf(contract, packed);
        var operation = SendTrace.Start(this, contract, type);
        var context = Connection.Sender.PackTraceContext(operation, type, 0);
        size = packed.Length + (context?.Length ?? 0);
        var status = Connection.Sender.Send(contract, packed, isLast, context: context);
        operation.End(status == SendStatus.Sent ? null : status.ToString());
        return status;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<SendStatus> WaitAndSendAsync(PackedMessage message, int size, CancellationToken cancellationToken)
    {
        while (true)
        {
            await Connection.Outbox.WaitForRoomAsync(size, Connection.Sender.DeliveryOf(message)).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = Send(message, isLast: false, out size);
            if (status != SendStatus.Full)
                return Connection.Sender.Count(status);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<SendStatus> WaitAndSendAsync<T>(MessageContract<T> contract, T message, int size, CancellationToken cancellationToken)
    {
        while (true)
        {
            await Connection.Outbox.WaitForRoomAsync(size, Connection.Sender.DeliveryOf(contract)).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = SendOnce(contract, in message, out size);
            if (status != SendStatus.Full)
                return Connection.Sender.Count(status);
        }
    }
}
