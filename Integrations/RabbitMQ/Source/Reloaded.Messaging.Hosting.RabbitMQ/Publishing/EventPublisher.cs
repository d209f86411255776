using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

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
