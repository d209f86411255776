using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Connecting and reconnecting.</content>
public sealed partial class RabbitHost
{
    /// <summary>The time that publishing waits for subscriptions which the broker does not start and does not refuse.</summary>
    private static readonly TimeSpan s_subscribeTime = TimeSpan.FromSeconds(2);

    private readonly List<Subscription> _subscriptions = [];
    private readonly SemaphoreSlim _topology = new(1, 1);
    private volatile TaskCompletionSource<BrokerConnection> _linked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private BrokerConnection? _current;
    private int _state;

    /// <summary>Raised, with the reason, when the connection is lost, when an attempt to reconnect fails, when the host is connected again, and when the broker stops or resumes accepting messages. In order. Return soon.</summary>
    public event Action<LinkState, string>? LinkChanged;

    /// <summary>Raised, with the reason, when the broker refused a subscription over a new connection or ended it. The host tries again with increasing delays; the rest of the host continues. Return soon.</summary>
    public event Action<Subscription, string>? SubscriptionFailed;

    /// <summary>The state of the connection to the broker.</summary>
    public LinkState State => (LinkState)Volatile.Read(ref _state);

    /// <summary>Subscribes to a topic.</summary>
    /// <param name="topic">The topic, up to 120 bytes of UTF-8: words separated by dots. <c>*</c> matches exactly one word, <c>#</c> matches any number of words.</param>
    /// <param name="kind">The delivery guarantee. Publishers must use the same kind.</param>
    /// <param name="group">
    /// The name of the group, 1–64 bytes of UTF-8 without a dot. Each message goes to one host of the group. <c>null</c>, which is allowed only at most once,
    /// to receive all messages. The broker remembers a group of the kind at least once: messages that are published while the group is absent wait for it.
    /// </param>
    /// <param name="cancellationToken">Ends the wait for a connection.</param>
    /// <returns>The subscription, after the broker has accepted it. Dispose it to unsubscribe.</returns>
    /// <exception cref="ArgumentException">Thrown when the kind is at least once and there is no group, when a name is too long, or when the name of the group contains a dot.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the broker refused the subscription, for example because the queue exists with other options.</exception>
    public Task<Subscription> SubscribeAsync(
        string topic,
        DeliveryKind kind = DeliveryKind.AtMostOnce,
        string? group = null,
        CancellationToken cancellationToken = default)
    {
        TopologyNames.Checked(topic, TopologyNames.MaxTopic, nameof(topic));
        if (group is not null)
            TopologyNames.CheckedPart(group, TopologyNames.MaxName, nameof(group));
        else if (kind == DeliveryKind.AtLeastOnce)
            throw new ArgumentException($"The at-least-once subscription to '{topic}' has no group. Pass the name of a group, under which the broker stores the messages.", nameof(group));
        return AddAsync(new Subscription(this, ConsumerRole.Events, topic, kind, group), cancellationToken);
    }

    /// <summary>Starts to reply to requests that are sent to a name. Several hosts may use the same name; each request goes to one of them.</summary>
    /// <param name="name">The name, up to 64 bytes of UTF-8.</param>
    /// <param name="cancellationToken">Ends the wait for a connection.</param>
    /// <returns>The subscription, after the broker has accepted it. Dispose it to end it.</returns>
    public Task<Subscription> AnswerAsync(string name, CancellationToken cancellationToken = default)
    {
        TopologyNames.Checked(name, TopologyNames.MaxName, nameof(name));
        return AddAsync(new Subscription(this, ConsumerRole.Requests, name, DeliveryKind.AtMostOnce, group: name), cancellationToken);
    }

    /// <summary>The longest delay between two attempts.</summary>
    internal TimeSpan LongestWait => _factory.NetworkRecoveryInterval;

    internal void ReportSubscriptionFailed(Subscription subscription, string reason)
    {
        Interlocked.Increment(ref _failedSubscriptions);
        Raise(() => SubscriptionFailed?.Invoke(subscription, reason));
    }

    internal void Forget(Subscription subscription)
    {
        lock (_subscriptions)
            _subscriptions.Remove(subscription);
    }

    /// <summary>Makes further subscriptions wait for the next connection.</summary>
    internal void Unlink(BrokerConnection link)
    {
        lock (_gate)
        {
            if (link == _current && _linked.Task.IsCompleted)
                _linked = new TaskCompletionSource<BrokerConnection>(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    internal void SetBlocked(BrokerConnection link, string? reason)
    {
        if (link != _current || link.IsLost)
            return;
        AtMostOnceQueue.Block(reason is not null);
        AtLeastOnceQueue.Block(reason is not null);
        SetState(reason is null ? LinkState.Connected : LinkState.Blocked, reason ?? "The broker accepts messages again.");
    }

    private async Task<Subscription> AddAsync(Subscription subscription, CancellationToken cancellationToken)
    {
        while (true)
        {
            var link = await _linked.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            await _topology.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                ObjectDisposedException.ThrowIf(IsStopping, this);
                if (link.IsLost)
                    continue;
                await subscription.StartAsync(link, cancellationToken).ConfigureAwait(false);
                lock (_subscriptions)
                    _subscriptions.Add(subscription);
                return subscription;
            }
            catch (Exception) when (link.IsLost && !IsStopping)
            {
                // The subscription was interrupted, not refused. The next connection starts it.
                await link.Lost.ConfigureAwait(false);
            }
            finally
            {
                _topology.Release();
            }
        }
    }

    private async Task<BrokerConnection> OpenLinkAsync(CancellationToken cancellationToken)
    {
        var link = await BrokerConnection.OpenAsync(this, _factory, cancellationToken).ConfigureAwait(false);
        await _topology.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            {
                limit.CancelAfter(Options.ConnectTimeout);
                await link.OpenQueuesAsync(limit.Token).ConfigureAwait(false); // first, because handlers publish and reply
                await _requestQueue.StartAsync(link, limit.Token).ConfigureAwait(false);
                await _replyQueue.StartAsync(link, limit.Token).ConfigureAwait(false);
            }

            Subscription[] subscriptions;
            lock (_subscriptions)
                subscriptions = [.. _subscriptions];
            var started = Task.WhenAll(Array.ConvertAll(subscriptions, subscription => subscription.StartOrRetryAsync(link)));
            await started.WaitAsync(s_subscribeTime, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the remaining subscriptions start in the background
            cancellationToken.ThrowIfCancellationRequested();
            if (link.IsLost)
                throw new IOException(await link.Lost.ConfigureAwait(false));

            _current = link;
            SetState(LinkState.Connected, "Connected."); // before the first publication, after which a broker reports that it is blocked
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
            {
                limit.CancelAfter(Options.ConnectTimeout);
                await link.ProbeAsync(limit.Token).ConfigureAwait(false);
            }

            link.Publish();
            _linked.TrySetResult(link);
            return link;
        }
        catch
        {
            await link.DisposeAsync().ConfigureAwait(false);
            throw;
        }
        finally
        {
            _topology.Release();
        }
    }

    /// <summary>Waits until the connection is lost, and opens another one, until the host is disposed.</summary>
    private async Task KeepAsync(BrokerConnection? link)
    {
        var delay = new ReconnectDelay(LongestWait);
        while (link is not null)
        {
            var connectedAt = Environment.TickCount64;
            if (IsDisposed)
                link.Lose("The host was disposed."); // the connection was made after the host was disposed
            var reason = await link.Lost.ConfigureAwait(false);
            if (!IsDisposed)
                Interlocked.Increment(ref _disconnects);
            Unlink(link);
            _requests.EndAll();
            SetState(LinkState.Disconnected, reason);
            await link.DisposeAsync().ConfigureAwait(false);
            delay.NoteLost(TimeSpan.FromMilliseconds(Environment.TickCount64 - connectedAt));
            link = await ConnectAgainAsync(delay).ConfigureAwait(false);
        }

        _linked.TrySetException(new ObjectDisposedException(GetType().FullName));
        _ = _linked.Task.Exception; // observed, because there may be no waiting caller
    }

    private async Task<BrokerConnection?> ConnectAgainAsync(ReconnectDelay delay)
    {
        while (!IsStopping)
        {
            await Task.Delay(delay.Next(), Disposed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                return await OpenLinkAsync(Disposed).ConfigureAwait(false);
            }
            catch (Exception e) when (!IsDisposed)
            {
                Interlocked.Increment(ref _failedConnects);
                SetState(LinkState.Disconnected, Reason.Of(e));
            }
            catch (Exception)
            {
                return null; // the host was disposed meanwhile, which caused the failure
            }
        }

        return null;
    }

    private void SetState(LinkState state, string reason)
    {
        Volatile.Write(ref _state, (int)state);
        Raise(() => LinkChanged?.Invoke(state, reason));
    }
}
