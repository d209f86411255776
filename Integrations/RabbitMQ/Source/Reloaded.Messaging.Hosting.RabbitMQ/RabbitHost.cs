using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes to topics, subscribes to topics, and sends and handles requests, across machines over RabbitMQ.</summary>
/// <remarks>
/// Thread-safe. Register handlers in the callback of <see cref="ConnectAsync"/>, and subscribe after it has returned; or let <see cref="Start"/> connect in the
/// background. If the connection is lost, the host reconnects by itself, without a time limit, and restores its subscriptions. <see cref="LinkChanged"/> reports each change.
/// At-least-once messages are acknowledged when their handlers have ended; a handler that throws gets its message again, up to <see cref="SubscriptionOptions.MaxTries"/> times
/// in total. The token of an asynchronous handler is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.
/// </remarks>
/// <example><code>
/// await using var lobby = await RabbitHost.ConnectAsync(
///     new ConnectionFactory { HostName = "localhost" },
///     host =&gt; host.On((in Load load, Origin from) =&gt; Console.WriteLine($"{from.Sender}: {load.Players} players")),
///     new RabbitOptions { Name = "lobby" });
/// await lobby.SubscribeAsync("load.*");
/// SendStatus status = lobby.Publish("load.north", new Load(17));
///
/// [Message(1)] public readonly record struct Load(int Players);
/// </code></example>
public sealed partial class RabbitHost : HandlerHost<Origin>, IAsyncDisposable, IMeasuredHost
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_flushTime = TimeSpan.FromSeconds(1);

    private readonly object _gate = new();
    private readonly PeriodicTimer _requestTimer = new(s_tick);
    private readonly PeriodicTimer _checkTimer = new(s_tick);
    private readonly HostReports _reports = new();
    private readonly EventPublisher _events;
    private readonly ScheduledPublisher _scheduled;
    private readonly NamedHosts _measured;
    private Task? _disposing;

    static RabbitHost() => Acknowledgement.Contract.Declare();

    private RabbitHost(ConnectionFactory factory, RabbitOptions options)
    {
        foreach (var node in factory.Ssl.Enabled ? options.Endpoints : [])
        {
            if (!node.Ssl.Enabled) // the password would be sent in the clear
                throw new ArgumentException($"The factory has TLS, and its endpoint {node.HostName}:{node.Port} has none. An endpoint has TLS of its own: new AmqpTcpEndpoint(\"{node.HostName}\", {node.Port}, new SslOption(\"{node.HostName}\", enabled: true)).", nameof(options));
        }

        RabbitMetrics.Publish();
        InstrumentSet.Publish();
        Options = options;
        var writer = new MessageWriter(options.MessageLimits);
        Queues = new PublishQueues(options, new TopologyNames(options.Scope, options.Name), _reports);
        _events = new EventPublisher(Queues, writer);
        Requests = new RequestSender(Queues, writer);
        Inbox = new Inbox(Queues, Requests, writer, factory.NetworkRecoveryInterval);
        Keeper = new LinkKeeper(factory, Queues, Inbox, typeof(RabbitHost));
        _scheduled = new ScheduledPublisher(Keeper, Queues, writer);
        _measured = RabbitMetrics.Add(options.Name, this);
    }

    /// <summary>The unique id of the host: the name of the options, a dot and a random number. Other hosts can send requests to it.</summary>
    public string Id => Queues.Names.HostId;

    /// <summary>The options of the host.</summary>
    public RabbitOptions Options { get; }

    /// <summary>The messages to publish.</summary>
    internal PublishQueues Queues { get; }

    /// <summary>The subscriptions and handlers.</summary>
    internal Inbox Inbox { get; }

    internal RequestSender Requests { get; }

    /// <summary>The connection to the broker.</summary>
    internal LinkKeeper Keeper { get; }

    /// <summary>The state of the connection to the broker.</summary>
    public LinkState State => Keeper.State;

    /// <summary>Connects to a broker.</summary>
    /// <param name="factory">
    /// The settings of the client library: address, credentials, TLS, heartbeat. The host reads them for each connection and does not change
    /// them. It reconnects by itself and does not use the recovery of the library. The delay between attempts increases from 100 ms to
    /// <see cref="ConnectionFactory.NetworkRecoveryInterval"/>.
    /// </param>
    /// <param name="configure">Registers handlers before the first message is received.</param>
    /// <param name="options">The options of the host.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The host, connected.</returns>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.BrokerUnreachableException">Thrown when no broker could be reached, or the broker refused the user or TLS. The inner exception has the reason.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.AlreadyClosedException">Thrown when the broker closed the connection immediately, for example because the virtual host does not exist.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the user has no permission for the virtual host, or to declare exchanges and queues.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the attempt.</exception>
    public static async Task<RabbitHost> ConnectAsync(
        ConnectionFactory factory,
        Action<RabbitHost>? configure = null,
        RabbitOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        var host = new RabbitHost(factory, options ?? new RabbitOptions());
        try
        {
            configure?.Invoke(host);
            await host.Keeper.StartAsync(cancellationToken).ConfigureAwait(false);
            host.Tick();
            return host;
        }
        catch
        {
            await host.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Creates a host that connects in the background, without a time limit. <see cref="LinkChanged"/> reports each attempt, <see cref="State"/> the result.</summary>
    /// <param name="factory">The settings of the client library, as for <see cref="ConnectAsync"/>.</param>
    /// <param name="configure">Registers handlers and events before the first attempt to connect. It can call <see cref="Subscribe"/> and <see cref="Answer"/>.</param>
    /// <param name="options">The options of the host.</param>
    /// <returns>The host. At-least-once messages that are published before it is connected wait here. All other messages and requests end as for a lost connection.</returns>
    public static RabbitHost Start(ConnectionFactory factory, Action<RabbitHost>? configure = null, RabbitOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        var host = new RabbitHost(factory, options ?? new RabbitOptions());
        try
        {
            configure?.Invoke(host);
        }
        catch
        {
            _ = host.DisposeAsync().AsTask(); // it has no connection, so there is nothing to wait for
            throw;
        }

        host.Keeper.Start();
        host.Tick();
        return host;
    }

    /// <summary>Gets the number of messages with a dispatch status since the host was created. Handled messages are not counted.</summary>
    public long GetCount(DispatchStatus status) => Inbox.Handlers.Dispatcher.GetCount(status);

    /// <summary>Gets the counters. Allocates the object that it returns.</summary>
    public RabbitStatistics GetStatistics() => new(((IMeasuredHost)this).ReadCounters());

    bool IMeasuredHost.IsConnected => State == LinkState.Connected;

    Counters<RabbitCounter> IMeasuredHost.ReadCounters()
    {
        var (counts, kept) = (_reports.Counters.Copy(), Queues.AtLeastOnce.Counts);
        counts[RabbitCounter.Unconfirmed] = kept.Pending;
        counts[RabbitCounter.Resent] = kept.Resent;
        counts[RabbitCounter.Rejected] = kept.Rejected;
        counts[RabbitCounter.Dropped] += Queues.Dropped;
        counts[RabbitCounter.Misdirected] = Inbox.Handlers.Misdirected;
        counts[RabbitCounter.HandlerFailures] = _reports.Failures.Count;
        counts[RabbitCounter.RequestsTimedOut] = _reports.Requests.Timeouts;
        counts[RabbitCounter.LateReplies] = _reports.Requests.LateReplies;
        counts[RabbitCounter.FaultsSent] = _reports.Requests.FaultsSent;
        counts[RabbitCounter.Refused] = kept.Refused;
        counts[RabbitCounter.StalledTopics] = kept.Stalled;
        counts[RabbitCounter.SendsFull] = _reports.Sends[SendStatus.Full];
        counts[RabbitCounter.SendsClosed] = _reports.Sends[SendStatus.Closed];
        counts[RabbitCounter.Confirmed] += kept.Confirmed; // the counter has the scheduled messages
        return counts;
    }

    /// <summary>Subscribes to a topic in the background, also before the host is connected. If the broker refuses, <see cref="SubscriptionFailed"/> reports it, and the host tries again.</summary>
    /// <inheritdoc cref="SubscribeAsync" path="/param[@name!='cancellationToken']"/>
    /// <returns>The subscription. <see cref="Subscription.Failure"/> tells whether the broker refused it. Dispose it to unsubscribe.</returns>
    /// <exception cref="ArgumentException">Thrown for the same arguments as by <see cref="SubscribeAsync"/>.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the host is disposed.</exception>
    public Subscription Subscribe(string topic, DeliveryKind kind = DeliveryKind.AtMostOnce, string? group = null, SubscriptionOptions? options = null) =>
        Keeper.Add(MakeSubscription(topic, kind, group, options));

    /// <summary>Subscribes to a topic.</summary>
    /// <param name="topic">The topic, up to 120 bytes of UTF-8: words separated by dots. <c>*</c> matches exactly one word, <c>#</c> matches any number of words.</param>
    /// <param name="kind">The delivery guarantee. Publishers must use the same kind.</param>
    /// <param name="group">
    /// The name of the group, 1–64 bytes of UTF-8 without a dot. Each message goes to one host of the group. <c>null</c>, which is allowed only at most once,
    /// to receive all messages. The broker remembers a group of the kind at least once: messages that are published while the group is absent wait for it.
    /// </param>
    /// <param name="options">The options of the subscription (default: <see cref="SubscriptionOptions.Default"/>).</param>
    /// <param name="cancellationToken">Ends the wait for a connection.</param>
    /// <returns>The subscription, after the broker has accepted it. Dispose it to unsubscribe.</returns>
    /// <exception cref="ArgumentException">
    /// Thrown when the kind is at least once and there is no group, when an option does not apply to the kind or needs a group, when a name is too long, or
    /// when the name of the group contains a dot.
    /// </exception>
    /// <exception cref="InvalidOperationException">Thrown when <see cref="SubscriptionOptions.Partitions"/> is set and the group exists without partitions, or the reverse.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the broker refused the subscription, for example because the queue exists with other options.</exception>
    public Task<Subscription> SubscribeAsync(
        string topic,
        DeliveryKind kind = DeliveryKind.AtMostOnce,
        string? group = null,
        SubscriptionOptions? options = null,
        CancellationToken cancellationToken = default) => Keeper.AddAsync(MakeSubscription(topic, kind, group, options), cancellationToken);

    /// <summary>Declares an at-least-once group without subscribing to it: its queues, its delays between tries and its dead letters. From then on, the broker stores the messages of the topic for the group.</summary>
    /// <remarks>Hosts whose users may not declare subscribe to the group with <see cref="RabbitOptions.DeclaresTopology"/> = <c>false</c> and the same options. <see cref="RemoveGroupAsync"/> is the opposite.</remarks>
    /// <param name="topic">The topic of the subscription, with its wildcards.</param>
    /// <param name="group">The name of the group.</param>
    /// <param name="options">The options of the subscription (default: <see cref="SubscriptionOptions.Default"/>).</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">Thrown for the same arguments as by <see cref="SubscribeAsync"/>.</exception>
    /// <exception cref="InvalidOperationException">Thrown when this host has <see cref="RabbitOptions.DeclaresTopology"/> = <c>false</c>, or when <see cref="SubscriptionOptions.Partitions"/> is set and the group exists without partitions, or the reverse.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the broker refused, for example because a queue exists with other options.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the host is disposed.</exception>
    public Task DeclareGroupAsync(string topic, string group, SubscriptionOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= SubscriptionOptions.Default;
        SubscriptionRules.Check(topic, DeliveryKind.AtLeastOnce, group, options);
        return Options.DeclaresTopology
            ? Keeper.DeclareGroupAsync(new SubscribedQueue(ConsumerRole.Events, topic, DeliveryKind.AtLeastOnce, group, Options, options), cancellationToken)
            : throw new InvalidOperationException($"The host declares no topology, because {nameof(RabbitOptions)}.{nameof(RabbitOptions.DeclaresTopology)} is false. Declare the group with another host.");
    }

    /// <summary>Removes a group that no host uses any more: deletes its queue, its delayed messages and its dead letters. The publishers of the topic no longer wait for it.</summary>
    /// <param name="topic">The topic of the subscription, with its wildcards.</param>
    /// <param name="group">The name of the group.</param>
    /// <param name="kind">The delivery guarantee of the subscription.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The number of deleted messages (at least 0). 0 if the group does not exist. Smaller than the truth if the connection was lost meanwhile: the host then continues over the next one.</returns>
    /// <exception cref="ArgumentException">Thrown when a name is too long, or when the name of the group contains a dot.</exception>
    /// <exception cref="InvalidOperationException">Thrown when hosts are subscribed with the group.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the broker refused, for example because permissions are missing.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the host is disposed.</exception>
    public Task<long> RemoveGroupAsync(string topic, string group, DeliveryKind kind = DeliveryKind.AtLeastOnce, CancellationToken cancellationToken = default)
    {
        AmqpName.Checked(topic, AmqpName.MaxTopic, nameof(topic));
        AmqpName.CheckedPart(group, AmqpName.MaxName, nameof(group));
        return Keeper.RemoveGroupAsync(topic, group, kind, cancellationToken);
    }

    /// <summary>Starts to reply to requests that are sent to a name. Several hosts may use the same name; each request goes to one of them.</summary>
    /// <param name="name">The name, up to 64 bytes of UTF-8.</param>
    /// <param name="cancellationToken">Ends the wait for a connection.</param>
    /// <returns>The subscription, after the broker has accepted it. Dispose it to end it.</returns>
    public Task<Subscription> AnswerAsync(string name, CancellationToken cancellationToken = default) => Keeper.AddAsync(MakeAnswering(name), cancellationToken);

    /// <summary>Starts to reply to requests that are sent to a name in the background, also before the host is connected. If the broker refuses, <see cref="SubscriptionFailed"/> reports it, and the host tries again.</summary>
    /// <param name="name">The name, up to 64 bytes of UTF-8.</param>
    /// <returns>The subscription. Dispose it to end it.</returns>
    /// <exception cref="ArgumentException">Thrown when the name is empty or too long.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the host is disposed.</exception>
    public Subscription Answer(string name) => Keeper.Add(MakeAnswering(name));

    /// <summary>Sends a request and waits for its reply, by the declared contracts. Delivered at most once: a request is never sent or delivered again.</summary>
    /// <param name="to">A name to which hosts reply (<see cref="AnswerAsync"/>), or the <see cref="Id"/> of one host.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait; <c>null</c> uses <see cref="RabbitOptions.RequestTimeout"/>. The broker drops the request after this time.</param>
    /// <param name="cancellationToken">Ends the wait. The handler is not canceled, because only the broker knows which host has the request.</param>
    /// <returns>The reply. Await it once. Its continuation never runs on the receiving thread.</returns>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="TimeoutException">Thrown when no reply arrived in time.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the wait.</exception>
    /// <exception cref="RequestFailedException">Thrown when the request was not sent, when no host replies to the name, when the connection was lost, or when the reply cannot be read.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(string to, in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.RequestAsync<TRequest, TReply>(to, MessageContract.GetDeclared<TRequest>(), in request, timeout, cancellationToken);

    /// <summary>Sends a request and waits for its result. Throws only for a request that cannot be packed.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(string, in TRequest, TimeSpan?, CancellationToken)" path="/param"/>
    /// <returns>The reply, or the status of the failed request. Await it once. The status is Disconnected if no host replies to the name or the connection was lost.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(
        string to,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Requests.TryRequestAsync<TRequest, TReply>(to, MessageContract.GetDeclared<TRequest>(), in request, timeout, cancellationToken);

    /// <summary>
    /// Ends every subscription, waits for running handlers, acknowledges the handled messages, publishes the waiting messages, disconnects and frees
    /// all resources. Handlers have <see cref="RabbitOptions.StopTimeout"/> to end. Every call waits for the end.
    /// </summary>
    /// <remarks>
    /// The broker delivers at-least-once messages again that were not handled in time; at-most-once messages and requests are lost, and counted in
    /// <see cref="RabbitStatistics.Abandoned"/>. Messages that the broker has not confirmed are lost. To avoid this, await <see cref="FlushAsync"/> first. A flush that still waits fails. Do not await this method in a handler, because it waits for that handler.
    /// </remarks>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
            return new ValueTask(_disposing ??= Detached.Run(FreeAsync));
    }

    private Subscription MakeSubscription(string topic, DeliveryKind kind, string? group, SubscriptionOptions? options)
    {
        options ??= SubscriptionOptions.Default;
        SubscriptionRules.Check(topic, kind, group, options);
        return new Subscription(Inbox, new SubscribedQueue(ConsumerRole.Events, topic, kind, group, Options, options));
    }

    private Subscription MakeAnswering(string name)
    {
        AmqpName.Checked(name, AmqpName.MaxName, nameof(name));
        return new Subscription(Inbox, new SubscribedQueue(ConsumerRole.Requests, name, DeliveryKind.AtMostOnce, group: name, Options, SubscriptionOptions.Default));
    }

    /// <summary>Frees the host in steps. Each step has a limited time, and its failure does not prevent the next step.</summary>
    private async Task FreeAsync()
    {
        Inbox.IsStopping = true;
        var stopsAt = Environment.TickCount64 + (long)Options.StopTimeout.TotalMilliseconds;
        await TryAsync(Inbox.StopAsync()).ConfigureAwait(false);
        await PublishRestAsync(stopsAt).ConfigureAwait(false);
        Queues.Seal();
        await TryAsync(Inbox.DisposeAsync().AsTask()).ConfigureAwait(false);
        _ = TryAsync(Inbox.CancelHandlersAsync()); // the callbacks of the program may block
        await TryAsync(Keeper.DisposeAsync().AsTask()).ConfigureAwait(false);
        Requests.Close();
        Queues.Dispose();
        _requestTimer.Dispose();
        _checkTimer.Dispose();
        _measured.End(this);
    }

    /// <summary>Publishes the waiting messages, also after a reconnect.</summary>
    private async Task PublishRestAsync(long stopsAt)
    {
        var flushed = FlushAsync();
        var left = TimeSpan.FromMilliseconds(Math.Max(0, stopsAt - Environment.TickCount64));
        if (State == LinkState.Connected && left < s_flushTime)
            left = s_flushTime;
        await flushed.WaitAsync(left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _ = flushed.ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default); // fails at the latest when the queues are disposed
    }

    private async Task TryAsync(Task step)
    {
        try
        {
            await step.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _reports.ReportFailure(default, 0, e);
        }
    }

    private void Tick()
    {
        _ = Detached.Run(EndOverdueAsync);
        _ = Detached.Run(CheckAsync);
    }

    /// <summary>Ends overdue requests. Calls no code of the program.</summary>
    private async Task EndOverdueAsync()
    {
        while (await _requestTimer.WaitForNextTickAsync().ConfigureAwait(false))
            Requests.EndOverdue();
    }

    /// <summary>Checks confirmations and handlers, and raises events, whose handlers may block.</summary>
    private async Task CheckAsync()
    {
        while (await _checkTimer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            Keeper.CheckConfirms(Environment.TickCount64);
            Inbox.CheckHandlers(Environment.TickCount64);
        }
    }
}
