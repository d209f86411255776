using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Events and counters. Every failure has a counter.</content>
public sealed partial class RabbitHost
{
    private readonly SendCounts _sends = new();
    private readonly RequestCounters _requestCounts = new();
    private readonly FailureReporter<RabbitFailure> _failures = new();
    private long _disconnects;
    private long _failedConnects;
    private long _failedSubscriptions;
    private long _unrouted;
    private long _droppedAnswers;
    private long _missed;
    private long _redeliveriesDropped;
    private long _repeated;
    private long _unacknowledged;
    private long _retried;
    private long _deadLettered;
    private long _deadLettersOverflowed;
    private long _malformed;

    /// <summary>Raised when a handler or a listener threw. The subscription continues. A requester receives a fault.</summary>
    public event Action<RabbitFailure>? HandlerFailed
    {
        add => _failures.Failed += value;
        remove => _failures.Failed -= value;
    }

    /// <summary>Raised when at-most-once messages did not arrive. Runs on the receiving thread, before the message that revealed the gap is handled. Return soon.</summary>
    /// <remarks>Raised for subscriptions without a group. In a group, another host may have received the messages that this host did not receive.</remarks>
    public event Action<RabbitGap>? GapFound;

    /// <summary>Raised when the broker refused an at-least-once message by closing the channel twice. The message is dropped, and counted in <see cref="RabbitStatistics.Refused"/>.</summary>
    /// <remarks>Runs on a pool thread that publishes. Return soon. After a refusal for missing permissions, every message to the topic is refused until the next connection.</remarks>
    public event Action<RefusedPublication>? PublicationRefused;

    /// <summary>Raised when a queue of an at-least-once topic stays full, because its consumers are too slow or absent. The messages of the topic wait in this host.</summary>
    /// <remarks>
    /// Runs on a pool thread that publishes. Return soon. New messages are still sent to the other queues of the topic. The refused messages
    /// are offered again one at a time, with delays up to 5 s. Each offer is a marked duplicate for the other queues.
    /// </remarks>
    public event Action<StalledTopic>? TopicStalled;

    /// <summary>Raised when the dead-letter queue of a subscription's group is full. <see cref="RabbitOptions.DeadLetterOverflow"/> determines the behavior. Return soon.</summary>
    public event Action<Subscription>? DeadLettersFull;

    /// <summary>Gets the number of messages with a dispatch status since the host was created. Handled messages are not counted.</summary>
    public long GetCount(DispatchStatus status) => Dispatcher.GetCount(status);

    /// <summary>Gets the counters.</summary>
    public RabbitStatistics GetStatistics() => new(
        Volatile.Read(ref _disconnects),
        Volatile.Read(ref _failedConnects),
        Volatile.Read(ref _failedSubscriptions),
        AtLeastOnceQueue.Count,
        AtLeastOnceQueue.Resent,
        AtLeastOnceQueue.Rejected,
        Volatile.Read(ref _unrouted),
        AtMostOnceQueue.Dropped + AtLeastOnceQueue.Dropped + Volatile.Read(ref _droppedAnswers),
        Volatile.Read(ref _missed),
        Volatile.Read(ref _redeliveriesDropped),
        Volatile.Read(ref _repeated),
        Volatile.Read(ref _unacknowledged),
        Volatile.Read(ref _retried),
        Volatile.Read(ref _deadLettered),
        Volatile.Read(ref _deadLettersOverflowed),
        Volatile.Read(ref _malformed),
        Handlers.Misdirected,
        _failures.Count,
        _requestCounts.Timeouts,
        _requestCounts.LateReplies,
        _requestCounts.FaultsSent,
        AtLeastOnceQueue.Refused,
        AtLeastOnceQueue.Stalled,
        _sends.Get(SendStatus.Full),
        _sends.Get(SendStatus.Closed));

    private SendStatus Count(SendStatus status)
    {
        if (status != SendStatus.Sent)
            _sends.AddToMeter(status);
        return status;
    }

    internal void ReportFailure(Origin from, uint type, Exception exception) => _failures.Report(new RabbitFailure(from, type, exception));

    internal void ReportGap(RabbitGap gap)
    {
        Interlocked.Add(ref _missed, gap.Missed);
        Raise(() => GapFound?.Invoke(gap));
    }

    internal void ReportNotices(PublishQueue queue)
    {
        while (queue.TryTakeNotice(out var notice))
        {
            var (topic, number, waiting, reason) = notice;
            if (reason is null)
                Raise(() => TopicStalled?.Invoke(new StalledTopic(topic, waiting)));
            else
                Raise(() => PublicationRefused?.Invoke(new RefusedPublication(topic, number, reason)));
        }
    }

    internal void CountUnrouted() => Interlocked.Increment(ref _unrouted);

    internal void CountRedeliveryDropped() => Interlocked.Increment(ref _redeliveriesDropped);

    internal void CountRepeated() => Interlocked.Increment(ref _repeated);

    internal void CountUnacknowledged() => Interlocked.Increment(ref _unacknowledged);

    internal void CountRetried() => Interlocked.Increment(ref _retried);

    internal void CountDeadLettered() => Interlocked.Increment(ref _deadLettered);

    internal void CountDeadLettersOverflowed(long count) => Interlocked.Add(ref _deadLettersOverflowed, count);

    internal void ReportDeadLettersFull(Subscription subscription) => Raise(() => DeadLettersFull?.Invoke(subscription));

    internal void CountMalformed() => Interlocked.Increment(ref _malformed);

    /// <summary>Raises an event. An exception of a listener is treated like an exception of a handler.</summary>
    private void Raise(Action raise) => _failures.Call(raise, static e => new RabbitFailure(default, 0, e));
}
