using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Connecting, and connecting again.</content>
public sealed partial class RabbitHost
{
    /// <summary>How long publishing waits for subscriptions that the broker neither starts nor refuses.</summary>
    private static readonly TimeSpan s_subscribeTime = TimeSpan.FromSeconds(2);

    private readonly List<Subscription> _subscriptions = [];
    private readonly SemaphoreSlim _topology = new(1, 1);
    private volatile TaskCompletionSource<BrokerConnection> _linked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private BrokerConnection? _current;
    private int _state;

    /// <summary>The connection was lost, an attempt to connect again failed, it is there again, or the broker takes no messages: and why, for people. In order; return soon.</summary>
    public event Action<LinkState, string>? LinkChanged;

    /// <summary>The broker refused a subscription over a new connection, or ended it, and why. The host tries again with back-off; everything else goes on. Return soon.</summary>
    public event Action<Subscription, string>? SubscriptionFailed;

    /// <summary>How the host stands with its broker.</summary>
    public LinkState State => (LinkState)Volatile.Read(ref _state);

    /// <summary>Receives a topic's messages.</summary>
    /// <param name="topic">The topic, up to 120 bytes of UTF-8: words between dots, where <c>*</c> stands for any one and <c>#</c> for any number of them.</param>
    /// <param name="kind">What is promised. Publishers have to name the same.</param>
    /// <param name="group">
    /// 1 to 64 bytes of UTF-8 without a dot: who shares the messages: each goes to one host of the group. Null, for the kind at most once alone, to get all of them. A group of the kind
    /// at least once is remembered by the broker: what is published while none of its hosts is there waits for them.
    /// </param>
    /// <param name="cancellationToken">Ends the wait for a connection.</param>
    /// <returns>The handle that ends it, once the broker has it.</returns>
    /// <exception cref="ArgumentException">The kind at least once without a group, or a name that is too long or, a group's, has a dot.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">The broker refused: the queue is there with other options, say.</exception>
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
            throw new ArgumentException($"'{topic}' at least once needs a group: its name is what the broker keeps the messages under.", nameof(group));
        return AddAsync(new Subscription(this, ConsumerRole.Events, topic, kind, group), cancellationToken);
    }

    /// <summary>Answers requests that are sent to a name. Several hosts may: each request goes to one of them.</summary>
    /// <param name="name">The name, up to 64 bytes of UTF-8.</param>
    /// <param name="cancellationToken">Ends the wait for a connection.</param>
    /// <returns>The handle that ends it, once the broker has it.</returns>
    public Task<Subscription> AnswerAsync(string name, CancellationToken cancellationToken = default)
    {
        TopologyNames.Checked(name, TopologyNames.MaxName, nameof(name));
        return AddAsync(new Subscription(this, ConsumerRole.Requests, name, DeliveryKind.AtMostOnce, group: name), cancellationToken);
    }

    /// <summary>The longest wait between two attempts.</summary>
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

    /// <summary>Who subscribes waits for the next connection.</summary>
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
        SetState(reason is null ? LinkState.Connected : LinkState.Blocked, reason ?? "The broker takes messages again.");
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
                // Not refused, but interrupted: over the next connection, then.
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
                await link.OpenQueuesAsync(limit.Token).ConfigureAwait(false); // first: handlers publish and reply
                await _requestQueue.StartAsync(link, limit.Token).ConfigureAwait(false);
                await _replyQueue.StartAsync(link, limit.Token).ConfigureAwait(false);
            }

            Subscription[] subscriptions;
            lock (_subscriptions)
                subscriptions = [.. _subscriptions];
            var started = Task.WhenAll(Array.ConvertAll(subscriptions, subscription => subscription.StartOrRetryAsync(link)));
            await started.WaitAsync(s_subscribeTime, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the rest goes on by itself
            cancellationToken.ThrowIfCancellationRequested();
            if (link.IsLost)
                throw new IOException(await link.Lost.ConfigureAwait(false));

            _current = link;
            SetState(LinkState.Connected, "Connected."); // before anything is published: a broker says then that it is blocked
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

    /// <summary>Waits for the connection to be lost, and gets another, until the host is disposed.</summary>
    private async Task KeepAsync(BrokerConnection? link)
    {
        var delay = new ReconnectDelay(LongestWait);
        while (link is not null)
        {
            var connectedAt = Environment.TickCount64;
            if (IsDisposed)
                link.Lose("The host was disposed."); // it connected meanwhile
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
        _ = _linked.Task.Exception; // nobody need be waiting for it
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
                return null; // disposed meanwhile: what failed was part of that
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
