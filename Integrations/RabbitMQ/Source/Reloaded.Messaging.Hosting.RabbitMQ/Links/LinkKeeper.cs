using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Connects the queues and the inbox of a host to a broker, and connects them again when the connection is lost.</summary>
/// <param name="factory">The settings of the client library.</param>
/// <param name="queues">The messages to publish.</param>
/// <param name="inbox">The subscriptions.</param>
/// <param name="host">The type of the host, which an <see cref="ObjectDisposedException"/> names.</param>
internal sealed class LinkKeeper(ConnectionFactory factory, PublishQueues queues, Inbox inbox, Type host) : IAsyncDisposable
{
    /// <summary>The time that publishing waits for subscriptions which the broker does not start and does not refuse.</summary>
    private static readonly TimeSpan s_subscribeTime = TimeSpan.FromSeconds(2);

    /// <summary>Longer than a broker that does not respond delays the end of a connection.</summary>
    private static readonly TimeSpan s_closeTime = TimeSpan.FromSeconds(5);

    private readonly object _gate = new();
    private volatile TaskCompletionSource<BrokerConnection> _linked = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The newest connection. Subscriptions that are added start over it.</summary>
    private BrokerConnection? _newest;

    /// <summary>The newest connection, after its subscriptions were started.</summary>
    private BrokerConnection? _current;

    private Task _keeping = Task.CompletedTask;
    private int _state;

    /// <summary>Whether the state is <see cref="LinkState.Blocked"/> because of unconfirmed messages.</summary>
    private bool _isUnconfirmed;

    /// <summary>The state of the connection to the broker.</summary>
    public LinkState State => (LinkState)Volatile.Read(ref _state);

    /// <summary>Connects, and keeps the host connected until it is disposed.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var link = await Detached.Run(() => OpenAsync(cancellationToken)).ConfigureAwait(false);
        _keeping = Detached.Run(() => KeepAsync(link));
    }

    /// <summary>Connects in the background, and keeps the host connected until it is disposed.</summary>
    public void Start() => _keeping = Detached.Run(() => KeepAsync(null));

    /// <summary>Ends the connection. Called when the inbox is disposed.</summary>
    /// <exception cref="TimeoutException">Thrown when a listener does not return. It may be the caller that waits for this disposal. The connection ends when the listener returns.</exception>
    public async ValueTask DisposeAsync()
    {
        _current?.Lose("The host was disposed.");
        try
        {
            await _keeping.WaitAsync(s_closeTime).ConfigureAwait(false);
        }
        catch (TimeoutException e) when (!_keeping.IsCompleted)
        {
            throw new TimeoutException($"The connection to the broker has not ended within {s_closeTime}, because an event of the host has not returned. Do not wait for the disposal of a host in its events.", e);
        }
    }

    /// <summary>Reports when the broker stops confirming messages, and when it confirms them again.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    public void CheckConfirms(long now)
    {
        queues.AtLeastOnce.CheckSilence(now);
        var timeout = queues.Options.ConfirmTimeout;
        var isStuck = queues.AtLeastOnce.IsUnconfirmedSince(now - (long)timeout.TotalMilliseconds);
        lock (_gate)
        {
            if (isStuck ? State != LinkState.Connected : !_isUnconfirmed)
                return;
            _isUnconfirmed = isStuck;
            Volatile.Write(ref _state, (int)(isStuck ? LinkState.Blocked : LinkState.Connected));
        }

        if (isStuck)
            queues.Reports.ReportLink(LinkState.Blocked, $"The broker has not confirmed an at-least-once message for {timeout}. Check that more than half of the nodes of each queue run.");
        else
            queues.Reports.ReportLink(LinkState.Connected, "The broker confirms messages again.");
    }

    /// <summary>Closes the queues, which open again with the next connection.</summary>
    public void OnLost(BrokerConnection link)
    {
        queues.Close();
        lock (_gate)
        {
            if (link == _current && _linked.Task.IsCompleted)
                _linked = new TaskCompletionSource<BrokerConnection>(TaskCreationOptions.RunContinuationsAsynchronously); // further subscriptions wait for the next connection
        }
    }

    /// <summary>Stops publishing while the broker does not accept messages.</summary>
    /// <param name="link">The connection.</param>
    /// <param name="reason">The reason; <c>null</c> if the broker accepts messages again.</param>
    public void OnBlocked(BrokerConnection link, string? reason)
    {
        if (link != _current || link.IsLost)
            return;
        queues.Block(reason is not null);
        SetState(reason is null ? LinkState.Connected : LinkState.Blocked, reason ?? "The broker accepts messages again.");
    }

    /// <summary>Returns the connection, after waiting for it if necessary.</summary>
    public async Task<BrokerConnection> WaitForLinkAsync(CancellationToken cancellationToken)
    {
        var link = await _linked.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        ThrowIfStopping();
        return link;
    }

    /// <summary>Starts a subscription, after waiting for a connection if necessary.</summary>
    public async Task<Subscription> AddAsync(Subscription subscription, CancellationToken cancellationToken)
    {
        while (true)
        {
            var link = await OverLinkAsync(link => Detached.Run(() => subscription.StartAsync(link, cancellationToken)), cancellationToken).ConfigureAwait(false);
            lock (_gate)
            {
                if (link != _newest)
                    continue; // the next connection does not know the subscription
                inbox.Add(subscription);
                return subscription;
            }
        }
    }

    /// <summary>Starts a subscription over the current connection, or over the next one. If the broker refuses, the subscription is retried in the background.</summary>
    public Subscription Add(Subscription subscription)
    {
        ThrowIfStopping();
        BrokerConnection? link;
        lock (_gate)
        {
            inbox.Add(subscription);
            link = _newest;
        }

        if (link is not null)
            _ = Detached.Run(() => subscription.StartOrRetryAsync(link));
        return subscription;
    }

    /// <summary>Removes a group, after waiting for a connection if necessary.</summary>
    public async Task<long> RemoveGroupAsync(string topic, string group, DeliveryKind kind, CancellationToken cancellationToken)
    {
        var deleted = new StrongBox<long>();
        await OverLinkAsync(link => TopologyDeclarer.RemoveGroupAsync(link.Consuming, queues.Names, topic, group, kind, deleted, cancellationToken), cancellationToken).ConfigureAwait(false);
        return deleted.Value;
    }

    /// <summary>Declares a group, after waiting for a connection if necessary.</summary>
    public Task DeclareGroupAsync(SubscribedQueue group, CancellationToken cancellationToken) =>
        OverLinkAsync(link => TopologyDeclarer.DeclareGroupAsync(link.Consuming, queues.Names, queues.Options, group, cancellationToken), cancellationToken);

    /// <summary>Runs an operation over a connection, after waiting for it if necessary. If the connection is lost meanwhile, the operation runs again over the next one.</summary>
    /// <returns>The connection over which the operation ended.</returns>
    private async Task<BrokerConnection> OverLinkAsync(Func<BrokerConnection, Task> operation, CancellationToken cancellationToken)
    {
        while (true)
        {
            var link = await WaitForLinkAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                await operation(link).ConfigureAwait(false);
                return link;
            }
            catch (Exception) when ((link.IsLost || !link.Consuming.IsOpen) && !inbox.IsStopping)
            {
                await link.Lost.ConfigureAwait(false); // the operation was interrupted, not refused
            }
        }
    }

    private ObjectDisposedException Disposed() => new(host.FullName);

    private void ThrowIfStopping()
    {
        if (inbox.IsStopping)
            throw Disposed();
    }

    /// <summary>Connects, and starts the subscriptions.</summary>
    private async Task<BrokerConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var link = await BrokerConnection.OpenAsync(OnLost, OnBlocked, queues.Names, queues.Options, factory, cancellationToken).ConfigureAwait(false);
        try
        {
            Func<Task>[] loops = [];
            await RunInTimeAsync(
                async limit =>
                {
                    loops = await queues.OpenAsync(link, limit).ConfigureAwait(false); // first, because handlers publish and reply
                    await inbox.StartOwnAsync(link, limit).ConfigureAwait(false);
                },
                cancellationToken).ConfigureAwait(false);

            Subscription[] subscriptions;
            lock (_gate)
            {
                _newest = link;
                subscriptions = inbox.Subscriptions; // those that are added later start themselves
            }

            var starting = Task.WhenAll(Array.ConvertAll(subscriptions, subscription => subscription.StartOrRetryAsync(link)));
            await starting.WaitAsync(s_subscribeTime, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the remaining subscriptions start in the background
            cancellationToken.ThrowIfCancellationRequested();
            if (!TryLink(link))
                throw new IOException(await link.Lost.ConfigureAwait(false));
            queues.Reports.ReportLink(LinkState.Connected, "Connected."); // before the first publication, after which a broker reports that it is blocked
            await RunInTimeAsync(limit => ProbeAsync(link.Publishing, limit), cancellationToken).ConfigureAwait(false);
            link.Run(loops);
            return link;
        }
        catch
        {
            await link.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Runs a part of the opening of a connection within <see cref="RabbitOptions.ConnectTimeout"/>.</summary>
    /// <exception cref="BrokerUnreachableException">Thrown when the time is over.</exception>
    private async Task RunInTimeAsync(Func<CancellationToken, Task> part, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(queues.Options.ConnectTimeout);
        try
        {
            await part(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new BrokerUnreachableException(new TimeoutException($"The broker accepted the connection, and did not open its channels and queues within {queues.Options.ConnectTimeout}. Check the load of the broker.", e));
        }
    }

    /// <summary>Waits until the connection is lost, and opens another one, until the host is disposed.</summary>
    /// <param name="link">The first connection; <c>null</c> to open it.</param>
    private async Task KeepAsync(BrokerConnection? link)
    {
        var delay = new ReconnectDelay(inbox.LongestWait);
        link ??= await TryOpenAsync().ConfigureAwait(false) ?? await ConnectAgainAsync(delay).ConfigureAwait(false);
        while (link is not null)
        {
            var connectedAt = Environment.TickCount64;
            if (inbox.IsDisposed)
                link.Lose("The host was disposed."); // the connection was made after the host was disposed
            var reason = await link.Lost.ConfigureAwait(false);
            if (!inbox.IsDisposed)
                queues.Reports.Count(RabbitCounter.Disconnects);
            inbox.Requests.EndAll();
            SetState(LinkState.Disconnected, reason);
            await link.DisposeAsync().ConfigureAwait(false);
            delay.NoteLost(TimeSpan.FromMilliseconds(Environment.TickCount64 - connectedAt));
            link = await ConnectAgainAsync(delay).ConfigureAwait(false);
        }

        _linked.TrySetException(Disposed());
        _ = _linked.Task.Exception; // observed, because there may be no waiting caller
    }

    private async Task<BrokerConnection?> ConnectAgainAsync(ReconnectDelay delay)
    {
        while (!inbox.IsDisposed) // a host that stops still publishes the waiting messages
        {
            await Task.Delay(delay.Next(), inbox.Disposed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (await TryOpenAsync().ConfigureAwait(false) is { } link)
                return link;
        }

        return null;
    }

    /// <returns>The connection, or <c>null</c> if the attempt failed.</returns>
    private async Task<BrokerConnection?> TryOpenAsync()
    {
        try
        {
            return await OpenAsync(inbox.Disposed).ConfigureAwait(false);
        }
        catch (Exception e) when (!inbox.IsDisposed)
        {
            queues.Reports.Count(RabbitCounter.FailedConnects);
            SetState(LinkState.Disconnected, Reason.Of(e));
            return null;
        }
        catch (Exception)
        {
            return null; // the host was disposed meanwhile, which caused the failure
        }
    }

    /// <summary>Determines whether the broker accepts messages. A broker reports to a connection that it is blocked only after the connection has published.</summary>
    /// <remarks>
    /// Publishes an empty message that goes to no queue, and waits until the broker confirms the message or reports that it is blocked. A refusal or a lost
    /// connection also ends the wait. The probe does not report either of them.
    /// </remarks>
    private async Task ProbeAsync(IConnection connection, CancellationToken cancellationToken)
    {
        var confirmed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var blocked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var channel = await connection.CreateChannelAsync(new CreateChannelOptions(true, publisherConfirmationTrackingEnabled: false), cancellationToken).ConfigureAwait(false);
        channel.BasicAcksAsync += (_, _) => Answer(confirmed);
        channel.BasicNacksAsync += (_, _) => Answer(confirmed);
        channel.ChannelShutdownAsync += (_, _) => Answer(blocked);
        connection.ConnectionBlockedAsync += (_, _) => Answer(blocked);
        await channel.BasicPublishAsync(queues.Names.Requests, routingKey: "", mandatory: false, new BasicProperties(), ReadOnlyMemory<byte>.Empty, cancellationToken).ConfigureAwait(false);
        if (await Task.WhenAny(confirmed.Task, blocked.Task).WaitAsync(cancellationToken).ConfigureAwait(false) == blocked.Task)
            return; // the channel ends with its connection

        // A broker that is blocked after it has confirmed does not read that the channel is closed.
        var closing = channel.CloseAsync(cancellationToken);
        _ = closing.ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        if (await Task.WhenAny(closing, blocked.Task).ConfigureAwait(false) == closing)
            await closing.ConfigureAwait(false);

        static Task Answer(TaskCompletionSource answer)
        {
            answer.TrySetResult();
            return Task.CompletedTask;
        }
    }

    /// <summary>Lets callers use a connection.</summary>
    /// <returns><c>false</c> if the connection is lost; otherwise, <c>true</c>.</returns>
    private bool TryLink(BrokerConnection link)
    {
        lock (_gate)
        {
            if (link.IsLost)
                return false; // also if OnLost was not called yet, which takes the lock after this
            Volatile.Write(ref _state, (int)LinkState.Connected);
            (_current, _isUnconfirmed) = (link, false);
            _linked.TrySetResult(link);
            return true;
        }
    }

    private void SetState(LinkState state, string reason)
    {
        lock (_gate)
        {
            Volatile.Write(ref _state, (int)state);
            _isUnconfirmed = false;
        }

        queues.Reports.ReportLink(state, reason);
    }
}
