using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A subscription of a host. It is restored over every new connection until it is disposed.</summary>
/// <remarks>Its messages are handled in the order of their queue, independently of other subscriptions. Do not await its disposal in a handler of its messages, because the disposal waits for that handler.</remarks>
public sealed class Subscription : IAsyncDisposable
{
    private readonly Inbox _inbox;
    private readonly ReconnectDelay _delay;
    private readonly Partitions? _partitions;
    private readonly SemaphoreSlim? _places; // for messages whose handlers run, over all channels
    private Consumer? _consumer;
    private volatile string? _failure;
    private long _startedAt;

    internal Subscription(Inbox inbox, SubscribedQueue queue, Subscription? whole = null)
    {
        Reported = whole ?? this;
        _partitions = queue is { Partitions: > 0, Partition: null } ? new Partitions(inbox, this, queue) : null;
        _inbox = inbox;
        _delay = new ReconnectDelay(inbox.LongestWait);
        Queue = queue;
        _places = queue.ConcurrentMessageLimit is { } limit ? new SemaphoreSlim(limit) : null;
        Gaps = queue is { Role: ConsumerRole.Events, IsOwn: true } ? new GapTracker() : null;
    }

    /// <summary>The topic, or the name to which requests are sent.</summary>
    public string Topic => Queue.Topic;

    /// <summary>The delivery guarantee.</summary>
    public DeliveryKind Kind => Queue.Kind;

    /// <summary>The name of the group. Each message goes to one host of the group. <c>null</c> if the subscription has no group.</summary>
    public string? Group => Queue.Group;

    /// <summary>
    /// Why the broker refused the subscription or ended it. The host tries again. <c>null</c> while the subscription receives, before its first attempt, and when it is disposed.
    /// For partitions, the reason of the first one that does not receive. After a lost connection, the value is that of the lost connection until the next attempt.
    /// </summary>
    public string? Failure => IsDisposed ? null : _partitions?.Failure ?? _failure;

    /// <summary>The queue from which the subscription receives.</summary>
    internal SubscribedQueue Queue { get; }

    /// <summary>Tracks missing messages. Used only if all messages of a topic arrive here.</summary>
    internal GapTracker? Gaps { get; }

    /// <summary>The at-least-once deliveries whose handlers run, over all channels.</summary>
    internal DeliveryTable Deliveries { get; } = new();

    /// <summary>The subscription that events report: for a partition, the subscription of all partitions.</summary>
    internal Subscription Reported { get; }

    /// <summary>Whether the subscription of a partition has received a message over its current channel.</summary>
    internal bool HasReceived => _consumer?.HasReceived == true;

    /// <summary>Whether a message is acknowledged only after its handler has ended.</summary>
    internal bool IsKept => Queue is { Role: ConsumerRole.Events, Kind: DeliveryKind.AtLeastOnce };

    internal bool IsDisposed { get; private set; }

    /// <summary>
    /// Stops receiving, waits for the handlers of the received messages, and acknowledges the messages. After <see cref="RabbitOptions.StopTimeout"/> the
    /// broker delivers the remaining messages again. The queue of an at-least-once group stays and continues to collect messages.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        IsDisposed = true;
        _inbox.Remove(this);
        if (_partitions is not null)
        {
            await _partitions.DisposeAsync().ConfigureAwait(false);
            return;
        }

        using var limit = new CancellationTokenSource(_inbox.Options.StopTimeout);
        await CloseAsync(limit.Token).ConfigureAwait(false);
    }

    /// <summary>Returns the topic, the delivery guarantee and the group.</summary>
    public override string ToString() => Group is null ? $"'{Topic}' ({Kind})" : $"'{Topic}' ({Kind}, group '{Group}')";

    /// <summary>Waits until the handlers of another message may run. <see cref="EndHandlers"/> must follow.</summary>
    internal Task WaitForPlaceAsync() => _places?.WaitAsync() ?? Task.CompletedTask;

    /// <summary>Records that the handlers of a message have ended.</summary>
    internal void EndHandlers() => _places?.Release();

    /// <summary>Receives over a connection.</summary>
    internal async Task StartAsync(BrokerConnection link, CancellationToken cancellationToken)
    {
        if (_partitions is not null)
        {
            await _partitions.StartAsync(link, cancellationToken).ConfigureAwait(false);
            _failure = null;
            return;
        }

        if (IsKept && Queue.Partition is null)
            await PartitionDeclarer.ThrowIfDividedAsync(link.Consuming, _inbox.Names, Queue, cancellationToken).ConfigureAwait(false);
        var options = new CreateChannelOptions(false, false, consumerDispatchConcurrency: 1);
        var channel = await link.Consuming.CreateChannelAsync(options, cancellationToken).ConfigureAwait(false);
        try
        {
            var queue = await TopologyDeclarer.DeclareAsync(channel, _inbox.Names, _inbox.Options, Queue, BrokerVersion.SharesQuorum(link.Consuming.ServerProperties), cancellationToken).ConfigureAwait(false);
            var consumer = new Consumer(_inbox, link, channel, this, queue);
            var earlier = IsKept ? null : _consumer?.EndAsync(); // messages received at most once are handled first, because they are not delivered again
            await consumer.StartAsync(earlier ?? Task.CompletedTask, cancellationToken).ConfigureAwait(false);
            (_consumer, _failure) = (consumer, null);
            _startedAt = Environment.TickCount64;
            if (IsDisposed)
                await DisposeAsync().ConfigureAwait(false); // the subscription was disposed while the consumer was created
        }
        catch
        {
            await channel.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Receives over a new connection. If the broker refuses, the subscription is retried in the background until the connection is lost.</summary>
    /// <returns>A task that completes after the first attempt.</returns>
    internal async Task StartOrRetryAsync(BrokerConnection link)
    {
        if (!await TryStartAsync(link).ConfigureAwait(false))
            _ = RetryAsync(link);
    }

    /// <summary>Stops receiving, and waits for the handlers of the received messages.</summary>
    internal Task StopAsync(CancellationToken limit) => _partitions?.StopAsync(limit) ?? _consumer?.StopAsync(limit) ?? Task.CompletedTask;

    /// <summary>Stops receiving, waits for the handlers of the received messages, and closes the channel.</summary>
    internal async Task CloseAsync(CancellationToken limit)
    {
        await StopAsync(limit).ConfigureAwait(false);
        if (Interlocked.Exchange(ref _consumer, null) is { } consumer)
            await consumer.Channel.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Gives a partition to a host that waits for it, and waits for it in turn. If the running handler does not end in time, the partition stays here.</summary>
    internal async Task YieldAsync(BrokerConnection link)
    {
        using var limit = new CancellationTokenSource(_inbox.Options.StopTimeout);
        if (_consumer is { } consumer && !await consumer.StopAsync(limit.Token).ConfigureAwait(false)
            && !link.IsLost && !IsDisposed && !_inbox.IsStopping && consumer.TryResume())
        {
            _inbox.Events.ReportHandoverGivenUp(Reported, Queue.Partition!.Value);
            return;
        }

        await CloseAsync(link.Ended).ConfigureAwait(false);
        await StartOrRetryAsync(link).ConfigureAwait(false);
    }

    /// <inheritdoc cref="Settlement.Check"/>
    internal void Check(long now)
    {
        _partitions?.Check(now);
        _consumer?.Check(now);
    }

    /// <summary>Receives again after the broker ended only this subscription.</summary>
    internal void Restart(BrokerConnection link, IChannel channel, string reason)
    {
        if (IsDisposed || _inbox.IsStopping)
            return;
        _failure = reason;
        _inbox.Events.ReportSubscriptionFailed(Reported, reason);
        _ = channel.DisposeAsync().AsTask().ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default); // the disposal waits for running handlers
        _delay.NoteLost(TimeSpan.FromMilliseconds(Environment.TickCount64 - _startedAt));
        _ = RetryAsync(link);
    }

    private async Task RetryAsync(BrokerConnection link)
    {
        try
        {
            do
            {
                await Task.Delay(_delay.Next(), link.Ended).ConfigureAwait(false);
            }
            while (!await TryStartAsync(link).ConfigureAwait(false));
        }
        catch (OperationCanceledException)
        {
            return; // the next connection starts the subscription
        }
    }

    /// <returns><c>false</c> if the broker refused; otherwise, <c>true</c>, also if the subscription is no longer needed over this connection.</returns>
    private async Task<bool> TryStartAsync(BrokerConnection link)
    {
        if (link.IsLost || IsDisposed || _inbox.IsStopping)
            return true;
        try
        {
            await StartAsync(link, link.Ended).ConfigureAwait(false);
            return true;
        }
        catch (Exception) when (link.IsLost || IsDisposed || _inbox.IsStopping)
        {
            return true;
        }
        catch (Exception e)
        {
            _failure = Reason.Of(e);
            _inbox.Events.ReportSubscriptionFailed(Reported, _failure);
            return false;
        }
    }
}

/// <summary>An at-least-once message whose handler has run for most of the time that the broker allows.</summary>
/// <param name="Subscription">The subscription that received the message.</param>
/// <param name="From">The origin of the message, or of the first message of a batch.</param>
/// <param name="Elapsed">The time since the call of the handler.</param>
/// <param name="Timeout">The time that the broker allows: <see cref="SubscriptionOptions.HandlerTimeout"/>, or 30 minutes.</param>
public sealed record StalledHandler(Subscription Subscription, Origin From, TimeSpan Elapsed, TimeSpan Timeout);
