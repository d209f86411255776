using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Acknowledges an at-least-once message after its handlers, makes it come again, or sends it to the dead letters.</summary>
internal sealed class AtLeastOnceSettlement : Settlement, IAsyncDisposable
{
    /// <summary>The share of the broker's timeout after which a handler is reported.</summary>
    private const double StalledShare = 0.75;

    private readonly Inbox _inbox;
    private readonly BrokerConnection _link;
    private readonly IChannel _channel;
    private readonly Subscription _subscription;
    private readonly SubscribedQueue _queue;
    private readonly DeadLetterWatch _dead;
    private readonly DelayedRetries _retries;
    private readonly int _number;

    public AtLeastOnceSettlement(Inbox inbox, BrokerConnection link, IChannel channel, Intake intake, Subscription subscription, DeclaredQueue declared)
        : this(inbox, link, channel, intake, subscription, declared, subscription.Deliveries.OpenChannel())
    {
    }

    private AtLeastOnceSettlement(Inbox inbox, BrokerConnection link, IChannel channel, Intake intake, Subscription subscription, DeclaredQueue declared, int number)
        : base(inbox.Reports, link, intake, number)
    {
        (_inbox, _link, _channel, _subscription, _queue, _number) = (inbox, link, channel, subscription, subscription.Queue, number);
        _dead = new DeadLetterWatch(inbox, link, subscription, declared);
        _retries = new DelayedRetries(link, inbox.Names, inbox.Options, inbox.Reports, subscription.Queue, declared.Name);
    }

    /// <summary>Whether a message whose handler threw waits in another queue. The messages of a partition wait in their queue, to keep the order.</summary>
    private bool Delays => _queue.Partition is null && _queue.RetryDelay > TimeSpan.Zero;

    /// <returns>Whether the first handlers of the message still run here, or ended after their channel was closed.</returns>
    /// <inheritdoc/>
    public override bool TryJoin(Delivery redelivery, out Task settled)
    {
        settled = Task.CompletedTask;
        if (!_subscription.Deliveries.TryJoin(redelivery, out var ended))
            return false;
        Reports.Count(RabbitCounter.RedeliveriesJoined);
        if (ended is { } outcome)
            settled = redelivery.SettleAsync(outcome);
        return true;
    }

    /// <summary>Waits, in a partition, for the handlers whose channel was closed: another host may have handled their messages and given the partition back.</summary>
    public override Task WaitForEarlierAsync() => _queue.Partition is null ? Task.CompletedTask : _subscription.Deliveries.WaitForAbandonedAsync();

    public override bool TryHandle(Delivery delivery) => _subscription.Deliveries.TryBegin(delivery, Environment.TickCount64);

    public override Task EndAsync(Delivery delivery, Outcome worst)
    {
        var doesNotWait = delivery.IsShared || (worst == Outcome.Again && Delays); // the next delivery does not wait for the confirmation of a delayed message
        var settled = delivery.EndAsync(worst);
        return doesNotWait ? Task.CompletedTask : settled;
    }

    public override void Close() => // no delivery of the closed channel can be acknowledged
        _ = DisposeAsync().AsTask().ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);

    public ValueTask DisposeAsync() => _retries.DisposeAsync();

    public override void Abandon() => _subscription.Deliveries.Abandon(_number);

    public override void Check(long now)
    {
        var timeout = _queue.HandlerTimeout ?? SubscribedQueue.BrokerTimeout;
        foreach (var (from, startedAt) in _subscription.Deliveries.TakeStalled(_number, now - (long)(timeout.TotalMilliseconds * StalledShare)))
            _inbox.Events.ReportHandlerStalled(new StalledHandler(_subscription.Reported, from, TimeSpan.FromMilliseconds(now - startedAt), timeout));
    }

    protected override ValueTask AnswerAsync(Delivery delivery, Outcome outcome)
    {
        var settled = _subscription.Deliveries.End(delivery, outcome);
        if (settled != delivery)
            return SettleAllAsync(settled, outcome);
        switch (outcome)
        {
            case Outcome.Done:
                return _channel.BasicAckAsync(delivery.Tag, multiple: false);
            case Outcome.Again when delivery.From.Tries < _queue.MaxTries || _inbox.IsStopping:
                Reports.Count(RabbitCounter.Retried);
                return ReturnAsync(delivery);
            default:
                Reports.Count(RabbitCounter.DeadLettered);
                _dead.Note();
                return _channel.BasicRejectAsync(delivery.Tag, requeue: false);
        }
    }

    /// <summary>Settles the redeliveries of a message, over their channel.</summary>
    private static async ValueTask SettleAllAsync(Delivery? redelivery, Outcome outcome)
    {
        while (redelivery is not null)
        {
            var next = redelivery.Successor;
            redelivery.Successor = null; // it is used for another message after that
            await redelivery.SettleAsync(outcome).ConfigureAwait(false);
            redelivery = next;
        }
    }

    /// <summary>Makes the message of a handler that threw come again.</summary>
    private async ValueTask ReturnAsync(Delivery delivery)
    {
        if (_queue.Partition is not null)
        {
            if (_queue.RetryDelay > TimeSpan.Zero && !_inbox.IsStopping)
                await Task.Delay(RetryDelay.Of(delivery.From.Tries, _queue.RetryDelay, _queue.MaxRetryDelay), _link.Ended).ConfigureAwait(false); // the later messages wait too
        }
        else if (Delays && delivery.HasBody && !_inbox.IsStopping)
        {
            if (await _retries.TryDelayAsync(delivery).ConfigureAwait(false))
            {
                await _channel.BasicAckAsync(delivery.Tag, multiple: false).ConfigureAwait(false);
                return;
            }

            Reports.Count(RabbitCounter.Undelayed);
        }

        await _channel.BasicRejectAsync(delivery.Tag, requeue: true).ConfigureAwait(false); // newer brokers count a reject as a try, but not a nack
    }
}

/// <summary>Checks whether the dead letters of a subscription's group are full.</summary>
/// <param name="inbox">The inbox of the host.</param>
/// <param name="link">The connection.</param>
/// <param name="subscription">The subscription.</param>
/// <param name="queue">The queue of the group, with the number of its dead letters.</param>
internal sealed class DeadLetterWatch(Inbox inbox, BrokerConnection link, Subscription subscription, DeclaredQueue queue)
{
    /// <summary>The shortest time between two checks of the queue.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    private readonly object _gate = new();
    private long _count = queue.DeadCount;
    private long _added;
    private int _isLooking;
    private bool _isFull;

    /// <summary>Records that a message was sent to the dead letters. The host soon checks whether their queue is full.</summary>
    public void Note()
    {
        Interlocked.Increment(ref _added);
        if (Interlocked.Exchange(ref _isLooking, 1) == 0)
            _ = LookSoonAsync();
    }

    private async Task LookSoonAsync()
    {
        var added = 0L;
        try
        {
            await Task.Delay(s_pause, link.Ended).ConfigureAwait(false); // the broker moves a dead letter with a delay after the reject
            Volatile.Write(ref _isLooking, 0);
            added = Interlocked.Exchange(ref _added, 0);
            if (await TopologyDeclarer.FindAsync(link.Consuming, queue.Dead!, link.Ended).ConfigureAwait(false) is { } there)
            {
                Compare(there.MessageCount, added);
                return;
            }

            await using var channel = await link.Consuming.CreateChannelAsync(cancellationToken: link.Ended).ConfigureAwait(false);
            if (inbox.Options.DeclaresTopology)
                await TopologyDeclarer.DeclareDeadAsync(channel, inbox.Names, inbox.Options, subscription.Queue, link.Ended).ConfigureAwait(false); // the broker has kept the dead letters that it could not move
            else
                await TopologyDeclarer.RequireAsync($"The queue '{queue.Dead}'", channel.QueueDeclarePassiveAsync(queue.Dead!, link.Ended)).ConfigureAwait(false);
            Interlocked.Add(ref _added, added); // the next look counts them
        }
        catch (Exception e) when (e is OperationCanceledException || link.IsLost)
        {
            Volatile.Write(ref _isLooking, 0); // the next connection checks when it declares the queue
        }
        catch (Exception e)
        {
            Interlocked.Add(ref _added, added);
            inbox.Reports.ReportFailure(default, 0, e);
        }
    }

    private void Compare(long now, long added)
    {
        long overflowed;
        bool isNew;
        lock (_gate)
        {
            var isFull = now >= subscription.Queue.MaxLength;
            overflowed = isFull ? _count + added - now : 0;
            isNew = isFull && !_isFull;
            (_count, _isFull) = (now, isFull);
        }

        if (overflowed > 0)
            inbox.Reports.Count(RabbitCounter.DeadLettersOverflowed, overflowed);
        if (isNew)
            inbox.Events.ReportDeadLettersFull(subscription.Reported);
    }
}
