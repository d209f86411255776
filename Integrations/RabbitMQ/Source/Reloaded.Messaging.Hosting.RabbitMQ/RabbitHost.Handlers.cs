using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Registration of handlers.</content>
public sealed partial class RabbitHost
{
    /// <inheritdoc/>
    public override void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType = null) => Inbox.Handlers.AddFilter(filter, messageType);

    /// <inheritdoc/>
    /// <remarks>
    /// An at-least-once message is acknowledged when its handler has returned and the broker has confirmed the at-least-once messages that the handler
    /// published, with this host or another. If a publication is lost or the host returns <see cref="SendStatus.Closed"/>, the message is delivered again.
    /// Messages that the handler publishes on other threads after its return do not count. If the handler throws, the subscription continues, and an
    /// at-least-once message is tried again, up to <see cref="SubscriptionOptions.MaxTries"/> times in total.
    /// </remarks>
    public override HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        Inbox.NoteName(contract);
        return Inbox.Handlers.On(contract, handler);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// An at-least-once message is acknowledged when its handler has ended and the broker has confirmed the at-least-once messages that the handler published.
    /// The token is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.
    /// </remarks>
    public override HandlerRegistration On<T>(MessageContract<T> contract, Func<T, Origin, CancellationToken, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        Inbox.NoteName(contract);
        return Inbox.Handlers.On(contract, handler);
    }

    /// <inheritdoc/>
    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(replyContract);
        ArgumentNullException.ThrowIfNull(handler);
        Inbox.NoteName(contract);
        return Inbox.Handlers.OnRequest(contract, replyContract, handler);
    }

    /// <inheritdoc/>
    /// <remarks>The token is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</remarks>
    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TRequest, TReply, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(replyContract);
        ArgumentNullException.ThrowIfNull(handler);
        Inbox.NoteName(contract);
        return Inbox.Handlers.OnRequest(contract, replyContract, handler);
    }
}
