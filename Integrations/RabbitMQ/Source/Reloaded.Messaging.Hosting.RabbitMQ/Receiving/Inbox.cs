using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The subscriptions of a host, and the objects that they share. They outlive connections.</summary>
internal sealed class Inbox : IAsyncDisposable
{
    /// <summary>The time between two checks, in milliseconds.</summary>
    private const int CheckInterval = 250;

    private readonly ConcurrentDictionary<uint, string> _typeNames = new();
    private readonly CancellationTokenSource _disposed = new();
    private readonly CancellationTokenSource _handlers = new();
    private readonly List<Subscription> _subscriptions = [];
    private readonly Subscription _requests;
    private readonly Subscription _replies;
    private long _checkAt;
    private long _taken;

    public Inbox(PublishQueues queues, RequestSender requests, MessageWriter writer, TimeSpan longestWait)
    {
        (Options, Names, Reports, Requests, LongestWait) = (queues.Options, queues.Names, queues.Reports, requests, longestWait);
        Events = new SubscriptionEvents(Reports);
        Handlers = new HandlerTable<Origin, Incoming>(Options.MessageLimits);
        Replies = new Replies(queues, writer);
        Disposed = _disposed.Token;
        HandlersEnd = _handlers.Token;
        _requests = new Subscription(this, new SubscribedQueue(ConsumerRole.Requests, Names.HostId, DeliveryKind.AtMostOnce, group: null, Options, SubscriptionOptions.Default));
        _replies = new Subscription(this, new SubscribedQueue(ConsumerRole.Replies, Names.HostId, DeliveryKind.AtMostOnce, group: null, Options, SubscriptionOptions.Default));
    }

    public RabbitOptions Options { get; }

    public TopologyNames Names { get; }

    public HostReports Reports { get; }

    /// <summary>The events of the subscriptions.</summary>
    public SubscriptionEvents Events { get; }

    /// <summary>Ends the requests whose replies arrive.</summary>
    public RequestSender Requests { get; }

    /// <summary>Sends the replies of handlers.</summary>
    public Replies Replies { get; }

    /// <summary>The handlers of events and requests.</summary>
    public HandlerTable<Origin, Incoming> Handlers { get; }

    /// <summary>The longest delay between two attempts to start a subscription.</summary>
    public TimeSpan LongestWait { get; }

    /// <summary>Whether the host is ending. It then takes no further messages, and connects only to publish those that wait.</summary>
    public bool IsStopping { get; set; }

    /// <summary>Canceled when the host must not connect again. Not given to the program.</summary>
    public CancellationToken Disposed { get; }

    /// <summary>Canceled when handlers must end.</summary>
    public CancellationToken HandlersEnd { get; }

    public bool IsDisposed => Disposed.IsCancellationRequested;

    /// <summary>The subscriptions of the program, as a copy.</summary>
    public Subscription[] Subscriptions
    {
        get
        {
            lock (_subscriptions)
                return [.. _subscriptions];
        }
    }

    /// <summary>Notes the name of a message type that has a handler.</summary>
    public void NoteName(MessageContract contract) => _typeNames[contract.Type] = contract.MessageType.Name;

    /// <summary>Returns the name of a message type. A type without a handler has the name <see cref="RabbitTracing.Other"/>, so that a sender cannot add names.</summary>
    public string NameOf(uint type) => _typeNames.GetValueOrDefault(type, RabbitTracing.Other);

    public void Add(Subscription subscription)
    {
        lock (_subscriptions)
            _subscriptions.Add(subscription);
    }

    public void Remove(Subscription subscription)
    {
        lock (_subscriptions)
            _subscriptions.Remove(subscription);
    }

    /// <summary>Receives requests to the id of this host, and replies.</summary>
    public async Task StartOwnAsync(BrokerConnection link, CancellationToken cancellationToken)
    {
        if (!IsStopping)
            await _requests.StartAsync(link, cancellationToken).ConfigureAwait(false);
        await _replies.StartAsync(link, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Stops receiving everything except replies, for which handlers may wait, until the handlers have ended.</summary>
    public async Task StopAsync()
    {
        using var limit = new CancellationTokenSource(Options.StopTimeout);
        await Task.WhenAll([_requests.StopAsync(limit.Token), .. Array.ConvertAll(Subscriptions, subscription => subscription.StopAsync(limit.Token))]).ConfigureAwait(false);
    }

    /// <summary>Ends the attempts to connect. Messages that wait for their handlers are not handled any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await _disposed.CancelAsync().ConfigureAwait(false);
        Reports.Count(RabbitCounter.Abandoned, Volatile.Read(ref _taken));
    }

    /// <summary>Adds to the number of at-most-once messages and requests that this host has received, and whose handlers have not ended.</summary>
    public void NoteTaken(int change) => Interlocked.Add(ref _taken, change);

    /// <summary>Makes handlers end. Completes when the callbacks of their token have returned. A callback may throw or block.</summary>
    public Task CancelHandlersAsync() => _handlers.CancelAsync();

    /// <inheritdoc cref="Settlement.Check"/>
    public void CheckHandlers(long now)
    {
        if (now < _checkAt)
            return;
        _checkAt = now + CheckInterval;
        foreach (var subscription in Subscriptions)
            subscription.Check(now);
        _requests.Check(now);
        _replies.Check(now);
    }
}
