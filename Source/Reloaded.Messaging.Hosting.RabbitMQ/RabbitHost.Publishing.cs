using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Publishing.</content>
public sealed partial class RabbitHost
{
    /// <summary>Publishes an event by the declared contract of its type. Never waits.</summary>
    /// <inheritdoc cref="Publish{T}(string, MessageContract{T}, in T, DeliveryKind)"/>
    public SendStatus Publish<T>(string topic, in T message, DeliveryKind kind = DeliveryKind.AtMostOnce) =>
        Publish(topic, MessageContract.GetDeclared<T>(), in message, kind);

    /// <summary>Publishes an event. Never waits.</summary>
    /// <param name="topic">The topic: words separated by dots, up to 120 bytes of UTF-8.</param>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="message">The message.</param>
    /// <param name="kind">The delivery guarantee. Subscribers must use the same kind.</param>
    /// <returns>
    /// <see cref="SendStatus.Sent"/>: the message is queued after the earlier messages; at least once, it is kept until the broker has confirmed it.
    /// <see cref="SendStatus.Full"/>: <see cref="HostLimits.MaxPendingBytes"/> bytes wait, or the topic waits for a full queue and the same number of bytes of
    /// refused messages wait, or the broker accepts no messages (<see cref="LinkState.Blocked"/>). <see cref="SendStatus.Closed"/>: the host is disposed or, at
    /// most once, not connected. Only <c>Sent</c> means that the message was accepted; <see cref="RabbitStatistics"/> counts all other messages. In a handler,
    /// at least once, the broker confirms the message before the handler's own message is acknowledged (see <see cref="On{T}(MessageContract{T}, EventMessageHandler{T, Origin})"/>).
    /// </returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind = DeliveryKind.AtMostOnce) =>
        Count(Publish(topic, contract, in message, kind, out _));

    /// <summary>Publishes an event by the declared contract of its type, after waiting for room if necessary.</summary>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="kind">The delivery guarantee.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns><see cref="SendStatus.Sent"/> or <see cref="SendStatus.Closed"/>.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the wait. The message was not accepted.</exception>
    public ValueTask<SendStatus> PublishAsync<T>(
        string topic,
        T message,
        DeliveryKind kind = DeliveryKind.AtMostOnce,
        CancellationToken cancellationToken = default)
    {
        var status = Publish(topic, MessageContract.GetDeclared<T>(), in message, kind, out var length);
        return status == SendStatus.Full ? WaitAndPublishAsync(topic, message, kind, length, cancellationToken) : new ValueTask<SendStatus>(Count(status));
    }

    /// <summary>Completes when all messages published so far are sent or lost with their connection. At-least-once messages must also be confirmed by the broker.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the host was disposed before the broker had confirmed all messages.</exception>
    /// <exception cref="PublicationRefusedException">Thrown when the broker refused a message permanently.</exception>
    public Task FlushAsync() => Task.WhenAll(AtMostOnceQueue.FlushAsync(), AtLeastOnceQueue.FlushAsync());

    private PublishQueue QueueOf(DeliveryKind kind) => kind switch
    {
        DeliveryKind.AtMostOnce => AtMostOnceQueue,
        DeliveryKind.AtLeastOnce => AtLeastOnceQueue,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"{kind} is not a {nameof(DeliveryKind)}. Use {nameof(DeliveryKind.AtMostOnce)} or {nameof(DeliveryKind.AtLeastOnce)}."),
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
                delivery.Complete(isConfirmed: status == SendStatus.Full); // on Closed, this host never publishes the result
        }
    }

    private async ValueTask<SendStatus> WaitAndPublishAsync<T>(string topic, T message, DeliveryKind kind, int length, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested(); // a wait that is already over would not check the token
            await QueueOf(kind).WaitForRoomAsync(length, topic).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = Publish(topic, MessageContract.GetDeclared<T>(), in message, kind, out length);
            if (status != SendStatus.Full)
                return Count(status);
        }
    }
}
