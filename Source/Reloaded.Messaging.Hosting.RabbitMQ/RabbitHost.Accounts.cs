using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>What happened: every failure has a counter.</content>
public sealed partial class RabbitHost
{
    private readonly SendCounts _sends = new();
    private readonly RequestCounters _requestCounts = new();
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
    private long _handlerFailures;

    /// <summary>A handler or a listener threw. The subscription goes on; a requester got a fault.</summary>
    public event Action<RabbitFailure>? HandlerFailed;

    /// <summary>Messages of the kind at most once did not arrive. On the thread that receives, before the message that showed it is handled; return soon.</summary>
    /// <remarks>For subscriptions without a group: within one, what this host misses another may have.</remarks>
    public event Action<RabbitGap>? GapFound;

    /// <summary>The broker refused a message of the kind at least once by closing the channel, twice. The message is dropped, and counted in <see cref="RabbitStatistics.Refused"/>.</summary>
    /// <remarks>Raised on a thread of the pool that publishes: return soon. After a refusal for missing rights, every message to the topic is refused until the next connection.</remarks>
    public event Action<RefusedPublication>? PublicationRefused;

    /// <summary>A queue of a topic of the kind at least once stays full: its consumers are too slow or absent. The topic's messages wait in this host.</summary>
    /// <remarks>
    /// Raised on a thread of the pool that publishes: return soon. New messages still go to the topic's other queues. The refused messages
    /// are offered again one at a time, with waits up to 5 s. Each offer is a marked copy for the other queues.
    /// </remarks>
    public event Action<StalledTopic>? TopicStalled;

    /// <summary>The queue of the dead letters of a subscription's group is full: <see cref="RabbitOptions.DeadLetterOverflow"/> says what follows. Return soon.</summary>
    public event Action<Subscription>? DeadLettersFull;

    /// <summary>How many messages got a status in dispatch, since the host was made. Handled ones are not counted.</summary>
    public long GetCount(DispatchStatus status) => Dispatcher.GetCount(status);

    /// <summary>The counts so far.</summary>
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
        Volatile.Read(ref _handlerFailures),
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

    internal void ReportFailure(Origin from, uint type, Exception exception)
    {
        Interlocked.Increment(ref _handlerFailures);
        try
        {
            HandlerFailed?.Invoke(new RabbitFailure(from, type, exception));
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _handlerFailures); // whoever listens to failures failed: there is nobody left to tell
        }
    }

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

    /// <summary>A listener that throws is treated as a handler that does.</summary>
    private void Raise(Action raise)
    {
        try
        {
            raise();
        }
        catch (Exception e)
        {
            ReportFailure(default, 0, e);
        }
    }
}
