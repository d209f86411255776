using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ.Links;
using Reloaded.Messaging.Hosting.RabbitMQ.Receiving;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Connecting, and connecting again.</content>
public sealed partial class RabbitHost
{
    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(100);

    private readonly List<Subscription> _subscriptions = [];
    private readonly SemaphoreSlim _topology = new(1, 1);
    private volatile TaskCompletionSource<Link> _linked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Link? _current;
    private int _state;

    /// <summary>The connection was lost, an attempt to connect again failed, it is there again, or the broker takes no messages: and why, for people. In order; return soon.</summary>
    public event Action<LinkState, string>? LinkChanged;

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
        Names.Checked(topic, Names.MaxTopic, nameof(topic));
        if (group is not null)
            Names.CheckedPart(group, Names.MaxName, nameof(group));
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
        Names.Checked(name, Names.MaxName, nameof(name));
        return AddAsync(new Subscription(this, ConsumerRole.Requests, name, DeliveryKind.AtMostOnce, group: name), cancellationToken);
    }

    internal void Forget(Subscription subscription)
    {
        lock (_subscriptions)
            _subscriptions.Remove(subscription);
    }

    /// <summary>Who subscribes waits for the next connection.</summary>
    internal void Unlink(Link link)
    {
        lock (_gate)
        {
            if (link == _current && _linked.Task.IsCompleted)
                _linked = new TaskCompletionSource<Link>(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    internal void SetBlocked(Link link, string? reason)
    {
        if (link != _current || link.IsLost)
            return;
        Passing.Block(reason is not null);
        Kept.Block(reason is not null);
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
                ObjectDisposedException.ThrowIf(IsDisposed, this);
                if (link.IsLost)
                    continue;
                await subscription.StartAsync(link, cancellationToken).ConfigureAwait(false);
                lock (_subscriptions)
                    _subscriptions.Add(subscription);
                return subscription;
            }
            catch (Exception) when (link.IsLost && !IsDisposed)
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

    private async Task<Link> OpenLinkAsync(CancellationToken cancellationToken)
    {
        var link = await Link.OpenAsync(this, _factory, cancellationToken).ConfigureAwait(false);
        await _topology.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            Subscription[] subscriptions;
            lock (_subscriptions)
                subscriptions = [.. _subscriptions];
            foreach (var subscription in subscriptions)
                await subscription.StartAsync(link, cancellationToken).ConfigureAwait(false);
            _current = link;
            await link.OpenQueuesAsync(cancellationToken).ConfigureAwait(false);
            SetState(LinkState.Connected, "Connected."); // before anything is published: a broker says then that it is blocked
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
    private async Task KeepAsync(Link? link)
    {
        while (link is not null)
        {
            var reason = await link.Lost.ConfigureAwait(false);
            if (!IsDisposed)
                Interlocked.Increment(ref _disconnects);
            Unlink(link);
            _requests.EndAll();
            SetState(LinkState.Disconnected, reason);
            await link.DisposeAsync().ConfigureAwait(false);
            link = await ConnectAgainAsync().ConfigureAwait(false);
        }

        _linked.TrySetException(new ObjectDisposedException(GetType().FullName));
        _ = _linked.Task.Exception; // nobody need be waiting for it
    }

    private async Task<Link?> ConnectAgainAsync()
    {
        var wait = s_shortestWait;
        while (!IsDisposed)
        {
            try
            {
                return await OpenLinkAsync(Disposed).ConfigureAwait(false);
            }
            catch (Exception e) when (!IsDisposed)
            {
                Interlocked.Increment(ref _failedConnects);
                SetState(LinkState.Disconnected, e.Message);
                await Task.Delay(wait, Disposed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                wait = wait * 2 < _factory.NetworkRecoveryInterval ? wait * 2 : _factory.NetworkRecoveryInterval;
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
