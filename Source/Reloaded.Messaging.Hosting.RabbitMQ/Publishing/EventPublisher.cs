using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Packs events and adds them to the queues of a host.</summary>
internal sealed class EventPublisher(Outbox outbox, MessageWriter writer)
{
    public SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, int slot = 0) =>
        outbox.Reports.CountUnsent(Publish(topic, contract, in message, kind, slot, out _));

    /// <summary>Publishes an event, after waiting for room if necessary.</summary>
    public ValueTask<SendStatus> PublishAsync<T>(string topic, T message, DeliveryKind kind, CancellationToken cancellationToken, int slot = 0)
    {
        var status = Publish(topic, MessageContract.GetDeclared<T>(), in message, kind, slot, out var length);
        return status == SendStatus.Full
            ? WaitAndPublishAsync(topic, message, kind, slot, length, cancellationToken)
            : new ValueTask<SendStatus>(outbox.Reports.CountUnsent(status));
    }

    private PublishQueue QueueOf(DeliveryKind kind) => kind switch
    {
        DeliveryKind.AtMostOnce => outbox.AtMostOnce,
        DeliveryKind.AtLeastOnce => outbox.AtLeastOnce,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"{kind} is not a {nameof(DeliveryKind)}. Use {nameof(DeliveryKind.AtMostOnce)} or {nameof(DeliveryKind.AtLeastOnce)}."),
    };

    private SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, int slot, out int length)
    {
        ArgumentNullException.ThrowIfNull(topic);
        using var packed = writer.Pack(contract, in message);
        length = packed.Length;
        var queue = QueueOf(kind);
        if (kind != DeliveryKind.AtLeastOnce || HandlerScope.Track() is not { } delivery)
            return queue.TryAdd(packed.Span, topic, OutgoingKind.Event, contract.IsSecret, slot: slot);

        var status = SendStatus.Full;
        try
        {
            return status = queue.TryAdd(packed.Span, topic, OutgoingKind.Event, contract.IsSecret, expiration: null, delivery, slot);
        }
        finally
        {
            if (status != SendStatus.Sent)
                delivery.Complete(isConfirmed: status == SendStatus.Full); // on Closed, this host never publishes the result
        }
    }

    private async ValueTask<SendStatus> WaitAndPublishAsync<T>(string topic, T message, DeliveryKind kind, int slot, int length, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested(); // a wait that is already over would not check the token
            await QueueOf(kind).WaitForRoomAsync(length, topic).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = Publish(topic, MessageContract.GetDeclared<T>(), in message, kind, slot, out length);
            if (status != SendStatus.Full)
                return outbox.Reports.CountUnsent(status);
        }
    }
}
