using System;
using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>The log messages of hosts over RabbitMQ. An event that servers and clients have, too, has their id. The ids are stable, and are listed in <c>docs/rabbitmq-worker-services.md</c>.</summary>
internal static partial class RabbitLog
{
    [LoggerMessage(3, LogLevel.Information, "{Host} connected to the broker.")]
    public static partial void Connected(ILogger logger, string host);

    [LoggerMessage(4, LogLevel.Warning, "{Host} lost its connection to the broker and reconnects: {Reason}")]
    public static partial void Disconnected(ILogger logger, string host, string reason);

    [LoggerMessage(7, LogLevel.Error, "{Host} failed to handle a message of the type {Type} of {Sender} to '{Topic}' (try {Tries}).")]
    public static partial void HandlerFailed(ILogger logger, Exception exception, string host, uint type, string sender, string topic, int tries);

    [LoggerMessage(8, LogLevel.Warning, "{Host} lost {Messages} messages that the broker had not confirmed when the host stopped.")]
    public static partial void MessagesLost(ILogger logger, string host, long messages);

    [LoggerMessage(11, LogLevel.Warning, "{Host} is not connected. Attempt {Number} failed: {Failure}")]
    public static partial void Connecting(ILogger logger, string host, int number, string failure);

    [LoggerMessage(20, LogLevel.Warning, "{Host} is blocked: {Reason}")]
    public static partial void Blocked(ILogger logger, string host, string reason);

    [LoggerMessage(21, LogLevel.Information, "{Host} is no longer blocked: {Reason}")]
    public static partial void Unblocked(ILogger logger, string host, string reason);

    [LoggerMessage(22, LogLevel.Warning, "{Host} does not receive from {Subscription} and tries again: {Reason}")]
    public static partial void SubscriptionFailed(ILogger logger, string host, Subscription subscription, string reason);

    [LoggerMessage(23, LogLevel.Error, "{Host} dropped message {Number} to '{Topic}', which the broker refused: {Reason}")]
    public static partial void PublicationRefused(ILogger logger, string host, ulong number, string topic, string reason);

    [LoggerMessage(24, LogLevel.Warning, "{Host} keeps {Waiting} messages to '{Topic}', because a queue of the topic is full or does not confirm.")]
    public static partial void TopicStalled(ILogger logger, string host, int waiting, string topic);

    [LoggerMessage(25, LogLevel.Warning, "{Host} missed {Missed} messages of {Sender} to '{Topic}'.")]
    public static partial void GapFound(ILogger logger, string host, long missed, string sender, string topic);

    [LoggerMessage(26, LogLevel.Warning, "{Host} has no room for further dead letters of {Subscription}.")]
    public static partial void DeadLettersFull(ILogger logger, string host, Subscription subscription);

    [LoggerMessage(27, LogLevel.Warning, "{Host} has handled a message to '{Topic}' for {Elapsed}. The broker delivers it again after {Timeout}.")]
    public static partial void HandlerStalled(ILogger logger, string host, string topic, TimeSpan elapsed, TimeSpan timeout);

    [LoggerMessage(28, LogLevel.Warning, "{Host} published a message to '{Topic}' that no queue took. Further ones are counted, and not logged.")]
    public static partial void PublicationUnrouted(ILogger logger, string host, string topic);

    [LoggerMessage(29, LogLevel.Warning, "{Host} stopped before the handlers of {Messages} at-most-once messages and requests had ended. The broker does not deliver them again.")]
    public static partial void MessagesAbandoned(ILogger logger, string host, long messages);
}
