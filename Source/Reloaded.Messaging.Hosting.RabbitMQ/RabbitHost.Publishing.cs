using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Publishing.</content>
public sealed partial class RabbitHost
{
    /// <summary>Publishes an event by its type's declared contract. Never waits.</summary>
    /// <inheritdoc cref="Publish{T}(string, MessageContract{T}, in T, DeliveryKind)"/>
    public SendStatus Publish<T>(string topic, in T message, DeliveryKind kind = DeliveryKind.AtMostOnce) =>
        Publish(topic, MessageContract.GetDeclared<T>(), in message, kind);

    /// <summary>Publishes an event. Never waits.</summary>
    /// <param name="topic">The topic: words between dots, up to 120 bytes of UTF-8.</param>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <param name="kind">What is promised. Subscribers have to name the same.</param>
    /// <returns>
    /// Sent: it goes out behind what was published before; at least once, it is kept until the broker has it. Full: <see cref="HostLimits.MaxPendingBytes"/>
    /// wait, the topic waits for a full queue and as many bytes of refused messages wait, or the broker takes nothing (<see cref="LinkState.Blocked"/>).
    /// Closed: the host was disposed or, at most once, there is no connection. Unless Sent, nothing was taken, and
    /// <see cref="RabbitStatistics"/> counts the message. Inside of a handler, at least once, see
    /// <see cref="On{T}(MessageContract{T}, EventMessageHandler{T, Origin})"/>: the broker confirms the message before the handler's own message is acknowledged.
    /// </returns>
    /// <exception cref="MessageTooLargeException">It exceeds a limit.</exception>
    public SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind = DeliveryKind.AtMostOnce) =>
        Count(Publish(topic, contract, in message, kind, out _));

    /// <summary>Publishes an event by its type's declared contract, once there is room.</summary>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="kind">What is promised.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Sent or Closed.</returns>
    /// <exception cref="OperationCanceledException">The wait was ended; nothing was taken.</exception>
    public ValueTask<SendStatus> PublishAsync<T>(
        string topic,
        T message,
        DeliveryKind kind = DeliveryKind.AtMostOnce,
        CancellationToken cancellationToken = default)
    {
        var status = Publish(topic, MessageContract.GetDeclared<T>(), in message, kind, out var length);
        return status == SendStatus.Full ? WaitAndPublishAsync(topic, message, kind, length, cancellationToken) : new ValueTask<SendStatus>(Count(status));
    }

    /// <summary>Completes when what was published so far is out, or lost with its connection; of the kind at least once, when the broker has confirmed it.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the host was disposed before the broker had confirmed all messages.</exception>
    /// <exception cref="PublicationRefusedException">Thrown when the broker refused a message for good.</exception>
    public Task FlushAsync() => Task.WhenAll(AtMostOnceQueue.FlushAsync(), AtLeastOnceQueue.FlushAsync());

    private PublishQueue QueueOf(DeliveryKind kind) => kind switch
    {
        DeliveryKind.AtMostOnce => AtMostOnceQueue,
        DeliveryKind.AtLeastOnce => AtLeastOnceQueue,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"{kind} is no kind of delivery."),
    };

    private SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind, out int length)
    {
        ArgumentNullException.ThrowIfNull(topic);
        using var packed = _writer.Pack(contract, in message);
        length = packed.Length;
        var queue = QueueOf(kind);
        if (kind != DeliveryKind.AtLeastOnce || HandlerScope.Track() is not { } delivery)
            return queue.TryAdd(packed.Span, topic, OutgoingKind.Event, contract.IsSecret);

        var status = SendStatus.Full;
        try
        {
            return status = queue.TryAdd(packed.Span, topic, OutgoingKind.Event, contract.IsSecret, expiration: null, delivery);
        }
        finally
        {
            if (status != SendStatus.Sent)
                delivery.Complete(isConfirmed: status == SendStatus.Full); // Closed: this host never publishes the result
        }
    }

    private async ValueTask<SendStatus> WaitAndPublishAsync<T>(string topic, T message, DeliveryKind kind, int length, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested(); // a wait that is over at once would not look
            await QueueOf(kind).WaitForRoomAsync(length, topic).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = Publish(topic, MessageContract.GetDeclared<T>(), in message, kind, out length);
            if (status != SendStatus.Full)
                return Count(status);
        }
    }
}
