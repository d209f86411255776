using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Writes the events of a host to a logger. Messages are not logged, so a message costs nothing.</summary>
internal static class RabbitHostLogging
{
    /// <summary>Subscribes to the events, except those of the connection. Called before the first connection.</summary>
    public static void LogTo(this RabbitHost host, ILogger logger, string name)
    {
        host.HandlerFailed += failure => RabbitLog.HandlerFailed(logger, failure.Exception, name, failure.Type, failure.From.Sender ?? "", failure.From.Topic ?? "", failure.From.Tries);
        host.SubscriptionFailed += (subscription, reason) => RabbitLog.SubscriptionFailed(logger, name, subscription, reason);
        host.PublicationRefused += refused => RabbitLog.PublicationRefused(logger, name, refused.Number, refused.Topic, refused.Reason);
        host.TopicStalled += topic => RabbitLog.TopicStalled(logger, name, topic.Waiting, topic.Topic);
        host.PublicationUnrouted += topic => RabbitLog.PublicationUnrouted(logger, name, topic);
        host.GapFound += gap => RabbitLog.GapFound(logger, name, gap.Missed, gap.Sender, gap.Topic);
        host.DeadLettersFull += subscription => RabbitLog.DeadLettersFull(logger, name, subscription);
        host.HandlerStalled += stalled => RabbitLog.HandlerStalled(logger, name, stalled.From.Topic, stalled.Elapsed, stalled.Timeout);
    }

    /// <summary>Writes a change of the connection.</summary>
    /// <param name="logger">The logger.</param>
    /// <param name="name">The name of the host.</param>
    /// <param name="before">The state before.</param>
    /// <param name="state">The state.</param>
    /// <param name="reason">The reason of the change.</param>
    /// <param name="number">The number of failed attempts, one after the other.</param>
    public static void LogLink(this ILogger logger, string name, LinkState before, LinkState state, string reason, int number)
    {
        switch (before, state)
        {
            case (LinkState.Disconnected, LinkState.Disconnected):
                RabbitLog.Connecting(logger, name, number, reason);
                break;
            case (_, LinkState.Disconnected):
                RabbitLog.Disconnected(logger, name, reason);
                break;
            case (_, LinkState.Blocked):
                RabbitLog.Blocked(logger, name, reason);
                break;
            case (LinkState.Blocked, LinkState.Connected):
                RabbitLog.Unblocked(logger, name, reason);
                break;
            default:
                RabbitLog.Connected(logger, name);
                break;
        }
    }
}
