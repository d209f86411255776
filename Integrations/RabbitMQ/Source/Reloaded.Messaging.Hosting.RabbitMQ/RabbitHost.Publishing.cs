using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Publishing of events.</content>
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
    /// <see cref="SendStatus.Full"/>: <see cref="HostLimits.MaxPendingBytes"/> bytes wait, or the topic waits for a queue that is full or does not confirm and the same number of bytes of
    /// such messages wait, or the broker accepts no messages (<see cref="LinkState.Blocked"/>). <see cref="SendStatus.Closed"/>: the host is disposed or, at
    /// most once, not connected. Only <c>Sent</c> means that the message was accepted; <see cref="RabbitStatistics"/> counts all other messages. In a handler,
    /// at least once, the broker confirms the message before the handler's own message is acknowledged (see <see cref="On{T}(MessageContract{T}, EventMessageHandler{T, Origin})"/>).
    /// </returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public SendStatus Publish<T>(string topic, MessageContract<T> contract, in T message, DeliveryKind kind = DeliveryKind.AtMostOnce) =>
        _events.Publish(topic, contract, in message, kind);

    /// <summary>Publishes an at-least-once event with a key by the declared contract of its type. Never waits.</summary>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="key">The key, such as the id of a player. Groups with <see cref="SubscriptionOptions.Partitions"/> handle the messages of one key in order. Other groups ignore the key.</param>
    /// <returns>The same as for an event without a key.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public SendStatus Publish<T>(string topic, in T message, string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return _events.Publish(topic, MessageContract.GetDeclared<T>(), in message, DeliveryKind.AtLeastOnce, new PublishOptions { Key = key });
    }

    /// <summary>Publishes an at-least-once event with a key by the declared contract of its type, after waiting for room if necessary.</summary>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns><see cref="SendStatus.Sent"/> or <see cref="SendStatus.Closed"/>.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the wait. The message was not accepted.</exception>
    public ValueTask<SendStatus> PublishAsync<T>(string topic, T message, string key, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        return _events.PublishAsync(topic, message, DeliveryKind.AtLeastOnce, cancellationToken, new PublishOptions { Key = key });
    }

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
        CancellationToken cancellationToken = default) => _events.PublishAsync(topic, message, kind, cancellationToken);

    /// <summary>Publishes an at-least-once event with options, by the declared contract of its type. Never waits.</summary>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="options">The id and the key of the message.</param>
    /// <returns>The same as for an event without options.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public SendStatus Publish<T>(string topic, in T message, in PublishOptions options) =>
        _events.Publish(topic, MessageContract.GetDeclared<T>(), in message, DeliveryKind.AtLeastOnce, options);

    /// <summary>Publishes an at-least-once event with options, by the declared contract of its type, after waiting for room if necessary.</summary>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="options">The id and the key of the message.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns><see cref="SendStatus.Sent"/> or <see cref="SendStatus.Closed"/>.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the wait. The message was not accepted.</exception>
    public ValueTask<SendStatus> PublishAsync<T>(string topic, T message, PublishOptions options, CancellationToken cancellationToken = default) =>
        _events.PublishAsync(topic, message, DeliveryKind.AtLeastOnce, cancellationToken, options);

    /// <summary>Publishes an at-least-once event that reaches its topic after a delay. Waits for a connection if necessary, and completes when the broker has stored the message.</summary>
    /// <remarks>
    /// The message waits at the broker. It has no <see cref="Origin.Number"/>; <see cref="Origin.MessageId"/> identifies it. The broker keeps a message whose topic has no
    /// group when its time comes, and delivers it when the first group subscribes.
    /// </remarks>
    /// <param name="topic">The topic.</param>
    /// <param name="message">The message.</param>
    /// <param name="delay">The delay (0–24 h). It is rounded up by at most an eighth: 64 ms or more, in eight steps between two powers of two milliseconds. 30 s becomes 30.72 s.</param>
    /// <param name="options">The id and the key of the message. A message without an id receives a random one.</param>
    /// <param name="cancellationToken">Ends the wait. The broker may have stored the message then.</param>
    /// <exception cref="TimeoutException">Thrown when the broker has not confirmed the message within 10 s, without an alarm, for example because the queue of the delay has no majority. The broker may store the message later.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.PublishException">Thrown when <see cref="RabbitOptions.MaxQueueLength"/> messages of the topic and the delay wait.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the broker refused the queue of the delay, for example because permissions are missing.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the host is disposed.</exception>
    public Task SchedulePublishAsync<T>(string topic, T message, TimeSpan delay, PublishOptions options = default, CancellationToken cancellationToken = default) =>
        _scheduled.PublishAsync(topic, message, delay, options, cancellationToken);

    /// <summary>Completes when all messages published so far are sent or lost with their connection. At-least-once messages must also be confirmed by the broker.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the host was disposed before the broker had confirmed all messages.</exception>
    /// <exception cref="PublicationRefusedException">Thrown when the broker refused a message permanently.</exception>
    public Task FlushAsync() => Queues.FlushAsync();
}
