using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>The events. An exception of a listener is reported by <see cref="HandlerFailed"/>.</content>
public sealed partial class RabbitHost
{
    /// <summary>Raised when a handler or a listener threw, when an at-least-once message becomes a dead letter because it has no handler here or cannot be read, or when the broker refused the delay queue of a message. The subscription continues. A requester receives a fault.</summary>
    /// <remarks>While the event has no subscriber, the first exception of the host is written to the standard error.</remarks>
    public event Action<RabbitFailure>? HandlerFailed
    {
        add => _reports.Failures.Failed += value;
        remove => _reports.Failures.Failed -= value;
    }

    /// <summary>Raised when at-most-once messages did not arrive. Runs on the receiving thread, before the message that revealed the gap is handled. Return soon.</summary>
    /// <remarks>Raised for subscriptions without a group. In a group, another host may have received the messages that this host did not receive.</remarks>
    public event Action<RabbitGap>? GapFound
    {
        add => _reports.GapFound += value;
        remove => _reports.GapFound -= value;
    }

    /// <summary>Raised when the broker refused an at-least-once message by closing the channel twice. The message is dropped, and counted in <see cref="RabbitStatistics.Refused"/>.</summary>
    /// <remarks>Runs on a pool thread that publishes. Return soon. After a refusal for missing permissions, every message to the topic is refused until the next connection.</remarks>
    public event Action<RefusedPublication>? PublicationRefused
    {
        add => _reports.PublicationRefused += value;
        remove => _reports.PublicationRefused -= value;
    }

    /// <summary>
    /// Raised when a queue of an at-least-once topic stays full, because its consumers are too slow or absent, or when the broker does not confirm the messages of a topic,
    /// because most nodes of a queue are down. The messages of the topic wait in this host.
    /// </summary>
    /// <remarks>
    /// Runs on a pool thread that publishes. Return soon. While a queue is full, new messages are still sent to the other queues of the topic. The refused messages
    /// are offered again one at a time, with delays up to 5 s. Each offer is a marked duplicate for the other queues.
    /// </remarks>
    public event Action<StalledTopic>? TopicStalled
    {
        add => _reports.TopicStalled += value;
        remove => _reports.TopicStalled -= value;
    }

    /// <summary>Raised with the topic when the broker confirmed an at-least-once message that no queue took: no group has subscribed to the topic yet, or the exchange was deleted at the broker. The message is gone.</summary>
    /// <remarks>Raised for the first such message of a topic on each connection, on the thread that receives from the broker; <see cref="RabbitStatistics.Unrouted"/> counts all. Return soon. At most 1024 topics are reported on one connection.</remarks>
    public event Action<string>? PublicationUnrouted
    {
        add => _reports.PublicationUnrouted += value;
        remove => _reports.PublicationUnrouted -= value;
    }

    /// <summary>Raised when the dead-letter queue of a subscription's group is full. <see cref="RabbitOptions.DeadLetterFullMode"/> determines the behavior. Return soon.</summary>
    public event Action<Subscription>? DeadLettersFull
    {
        add => Inbox.Events.DeadLettersFull += value;
        remove => Inbox.Events.DeadLettersFull -= value;
    }

    /// <summary>Raised when the handler of an at-least-once message has run for three quarters of the time that the broker allows (<see cref="SubscriptionOptions.HandlerTimeout"/>). Return soon.</summary>
    public event Action<StalledHandler>? HandlerStalled
    {
        add => Inbox.Events.HandlerStalled += value;
        remove => Inbox.Events.HandlerStalled -= value;
    }

    /// <summary>Raised, with the subscription and the number of the partition (from 0), when this host keeps a partition above its share, because a handler ran longer than <see cref="RabbitOptions.StopTimeout"/>. The host tries again after about half a second. Return soon.</summary>
    public event Action<Subscription, int>? HandoverGivenUp
    {
        add => Inbox.Events.HandoverGivenUp += value;
        remove => Inbox.Events.HandoverGivenUp -= value;
    }

    /// <summary>Raised, with the reason, when the connection is lost, when an attempt to reconnect fails, when the host is connected again, and when the broker stops or resumes accepting messages. In order. Return soon.</summary>
    public event Action<LinkState, string>? LinkChanged
    {
        add => _reports.LinkChanged += value;
        remove => _reports.LinkChanged -= value;
    }

    /// <summary>Raised, with the reason, when the broker refused a subscription over a new connection or ended it. The host tries again with increasing delays; the rest of the host continues. Return soon.</summary>
    public event Action<Subscription, string>? SubscriptionFailed
    {
        add => Inbox.Events.SubscriptionFailed += value;
        remove => Inbox.Events.SubscriptionFailed -= value;
    }
}
