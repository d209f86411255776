using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The queues of a host for the messages that it publishes. They outlive connections.</summary>
internal sealed class PublishQueues(RabbitOptions options, TopologyNames names, HostReports reports)
{
    /// <summary>Raised with the id and the name of a request that no host answers.</summary>
    public event Action<uint, string>? Unanswered;

    public RabbitOptions Options => options;

    public TopologyNames Names => names;

    public HostReports Reports => reports;

    /// <summary>The queue for at-most-once events.</summary>
    public PublishQueue AtMostOnce { get; } = new(options.Limits.MaxPendingBytes, confirms: false);

    /// <summary>The queue for requests and replies. It has its own channel, so that they do not wait behind events.</summary>
    public PublishQueue Direct { get; } = new(options.Limits.MaxPendingBytes, confirms: false);

    /// <summary>The queue for messages that are kept until the broker has confirmed them.</summary>
    public PublishQueue AtLeastOnce { get; } = new(options.Limits.MaxPendingBytes, confirms: true);

    /// <summary>The number of messages that were lost here.</summary>
    public long Dropped => AtMostOnce.Counts.Dropped + Direct.Counts.Dropped + AtLeastOnce.Counts.Dropped;

    private PublishQueue[] All => [AtMostOnce, Direct, AtLeastOnce];

    /// <summary>Creates the channels of a connection, and opens the queues.</summary>
    /// <returns>The loops that publish. They must not run before the connection is complete.</returns>
    public async Task<Func<Task>[]> OpenAsync(BrokerConnection link, CancellationToken cancellationToken)
    {
        PublishingChannel[] channels =
        [
            new(this, link, AtMostOnce, DeliveryKind.AtMostOnce),
            new(this, link, Direct, DeliveryKind.AtMostOnce),
            new(this, link, AtLeastOnce, DeliveryKind.AtLeastOnce),
        ];
        foreach (var channel in channels)
            await channel.OpenAsync(cancellationToken).ConfigureAwait(false);
        foreach (var queue in All)
            queue.Open();
        if (link.IsLost)
            Close(); // the connection was lost before the queues were open
        return Array.ConvertAll(channels, static channel => (Func<Task>)channel.RunAsync);
    }

    /// <summary>Closes the queues because the connection is lost.</summary>
    public void Close() => Array.ForEach(All, static queue => queue.Close());

    /// <summary>Records whether the broker accepts messages.</summary>
    public void Block(bool isBlocked) => Array.ForEach(All, queue => queue.Block(isBlocked));

    /// <summary>Refuses all further messages.</summary>
    public void Seal() => Array.ForEach(All, static queue => queue.Seal());

    /// <summary>Discards the messages and returns all memory. Called when no loop uses the queues any more.</summary>
    public void Dispose() => Array.ForEach(All, static queue => queue.Dispose());

    /// <summary>Completes when all messages added so far are sent; at least once, when the broker has confirmed them.</summary>
    public Task FlushAsync() => Task.WhenAll(Array.ConvertAll(All, static queue => queue.FlushAsync()));

    /// <summary>Reports a request that no host answers.</summary>
    public void ReportUnanswered(uint correlationId, string name) => Unanswered?.Invoke(correlationId, name);
}

/// <summary>Packs events and adds them to the queues of a host.</summary>
internal sealed class EventPublisher(PublishQueues queues, MessageWriter writer)
{
    public SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, in PublishOptions options = default)
    {
        if (InstrumentSet.Published is not { IsTraced: true })
            return PublishNow(topic, contract, in message, kind, in options);
        var span = StartSpan(topic, kind);
        try
        {
            var status = PublishNow(topic, contract, in message, kind, in options);
            EndSpan(span, status);
            return status;
        }
        catch (Exception e)
        {
            RabbitTracing.End(span, e.GetType().Name, queues.Reports);
            throw;
        }
    }

    /// <summary>Publishes an event, after waiting for room if necessary.</summary>
    public ValueTask<SendStatus> PublishAsync<T>(string topic, T message, DeliveryKind kind, CancellationToken cancellationToken, PublishOptions options = default) => InstrumentSet.Published is { IsTraced: true }
        ? PublishTracedAsync(topic, message, kind, options, cancellationToken)
        : PublishSoonAsync(topic, message, kind, options, cancellationToken);

    private async ValueTask<SendStatus> PublishTracedAsync<T>(string topic, T message, DeliveryKind kind, PublishOptions options, CancellationToken cancellationToken)
    {
        var span = StartSpan(topic, kind); // current until this method ends
        try
        {
            var status = await PublishSoonAsync(topic, message, kind, options, cancellationToken).ConfigureAwait(false);
            EndSpan(span, status);
            return status;
        }
        catch (Exception e)
        {
            RabbitTracing.End(span, e.GetType().Name, queues.Reports);
            throw;
        }
    }

    private Activity? StartSpan(string topic, DeliveryKind kind) =>
        RabbitTracing.StartPublish(queues.Names.ExchangeOf(kind), topic, queues.Options.Name, queues.Reports);

    private void EndSpan(Activity? span, SendStatus status) => RabbitTracing.End(span, status == SendStatus.Sent ? null : status.ToString(), queues.Reports);

    private SendStatus PublishNow<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, in PublishOptions options)
    {
        var handled = Track(kind);
        var status = TryAdd(topic, contract, in message, kind, in options, handled, out _);
        if (status == SendStatus.Full)
            handled?.Complete(isConfirmed: true); // the handler decides what to do
        return CountUnsent(status);
    }

    private ValueTask<SendStatus> PublishSoonAsync<T>(string topic, T message, DeliveryKind kind, PublishOptions options, CancellationToken cancellationToken)
    {
        var handled = Track(kind); // before the wait, because a synchronous handler is found by its thread
        var status = TryAdd(topic, MessageContract.GetDeclared<T>(), in message, kind, in options, handled, out var length);
        return status == SendStatus.Full
            ? WaitAndPublishAsync(topic, message, kind, options, length, handled, cancellationToken)
            : new ValueTask<SendStatus>(CountUnsent(status));
    }

    /// <summary>Makes the delivery whose handler runs here, if there is one, wait for an event.</summary>
    private static Delivery? Track(DeliveryKind kind) => kind == DeliveryKind.AtLeastOnce ? HandlerScope.Track() : null;

    /// <summary>Counts an event unless it was accepted.</summary>
    private SendStatus CountUnsent(SendStatus status) => status == SendStatus.Sent ? status : queues.Reports.CountUnsent(status);

    private PublishQueue QueueOf(DeliveryKind kind) => kind switch
    {
        DeliveryKind.AtMostOnce => queues.AtMostOnce,
        DeliveryKind.AtLeastOnce => queues.AtLeastOnce,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"{kind} is not a {nameof(DeliveryKind)}. Use {nameof(DeliveryKind.AtMostOnce)} or {nameof(DeliveryKind.AtLeastOnce)}."),
    };

    /// <summary>Adds an event to its queue. If the queue is full, the caller reports to the delivery; otherwise, the queue or this method does.</summary>
    private SendStatus TryAdd<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, in PublishOptions options, Delivery? handled, out int length)
    {
        SendStatus status;
        try
        {
            ArgumentNullException.ThrowIfNull(topic);
            using var packed = writer.Pack(contract, in message);
            length = packed.Length;
            status = QueueOf(kind).TryAdd(packed.Span, topic, OutgoingKind.Event, contract.IsSecret, expiration: null, handled, in options);
        }
        catch
        {
            handled?.Complete(isConfirmed: true); // the handler receives the exception
            throw;
        }

        if (status is not (SendStatus.Sent or SendStatus.Full))
            handled?.Complete(isConfirmed: false); // this host never publishes the event, so another host must handle the delivery
        return status;
    }

    private async ValueTask<SendStatus> WaitAndPublishAsync<T>(string topic, T message, DeliveryKind kind, PublishOptions options, int length, Delivery? handled, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                cancellationToken.ThrowIfCancellationRequested(); // a wait that is already over would not check the token
                await QueueOf(kind).WaitForRoomAsync(length, topic).WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                handled?.Complete(isConfirmed: true); // the handler receives the exception
                throw;
            }

            var status = TryAdd(topic, MessageContract.GetDeclared<T>(), in message, kind, in options, handled, out length);
            if (status != SendStatus.Full)
                return CountUnsent(status);
        }
    }
}
