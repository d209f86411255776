using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Packs events and adds them to the queues of a host.</summary>
internal sealed class EventPublisher(PublishQueues queues, MessageWriter writer)
{
    public SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, int slot = 0)
    {
        var handled = Track(kind);
        var status = TryAdd(topic, contract, in message, kind, slot, handled, out _);
        if (status == SendStatus.Full)
            handled?.Complete(isConfirmed: true); // the handler decides what to do
        return queues.Reports.CountUnsent(status);
    }

    /// <summary>Publishes an event, after waiting for room if necessary.</summary>
    public ValueTask<SendStatus> PublishAsync<T>(string topic, T message, DeliveryKind kind, CancellationToken cancellationToken, int slot = 0)
    {
        var handled = Track(kind); // before the wait, because a synchronous handler is found by its thread
        var status = TryAdd(topic, MessageContract.GetDeclared<T>(), in message, kind, slot, handled, out var length);
        return status == SendStatus.Full
            ? WaitAndPublishAsync(topic, message, kind, slot, length, handled, cancellationToken)
            : new ValueTask<SendStatus>(queues.Reports.CountUnsent(status));
    }

    /// <summary>Makes the delivery whose handler runs here, if there is one, wait for an event.</summary>
    private static Delivery? Track(DeliveryKind kind) => kind == DeliveryKind.AtLeastOnce ? HandlerScope.Track() : null;

    private PublishQueue QueueOf(DeliveryKind kind) => kind switch
    {
        DeliveryKind.AtMostOnce => queues.AtMostOnce,
        DeliveryKind.AtLeastOnce => queues.AtLeastOnce,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"{kind} is not a {nameof(DeliveryKind)}. Use {nameof(DeliveryKind.AtMostOnce)} or {nameof(DeliveryKind.AtLeastOnce)}."),
    };

    /// <summary>Adds an event to its queue. If the queue is full, the caller reports to the delivery; otherwise, the queue or this method does.</summary>
    private SendStatus TryAdd<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, int slot, Delivery? handled, out int length)
    {
        SendStatus status;
        try
        {
            ArgumentNullException.ThrowIfNull(topic);
            using var packed = writer.Pack(contract, in message);
            length = packed.Length;
            status = QueueOf(kind).TryAdd(packed.Span, topic, OutgoingKind.Event, contract.IsSecret, expiration: null, handled, slot);
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

    private async ValueTask<SendStatus> WaitAndPublishAsync<T>(string topic, T message, DeliveryKind kind, int slot, int length, Delivery? handled, CancellationToken cancellationToken)
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

            var status = TryAdd(topic, MessageContract.GetDeclared<T>(), in message, kind, slot, handled, out length);
            if (status != SendStatus.Full)
                return queues.Reports.CountUnsent(status);
        }
    }
}
