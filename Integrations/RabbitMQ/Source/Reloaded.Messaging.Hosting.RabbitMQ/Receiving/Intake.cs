using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Takes messages from a queue for a consumer. It controls the number of messages at a time and the end of taking.</summary>
/// <remarks>
/// When a process or a connection ends, the broker counts a try for every message that was taken, whether its handler began or not. For this reason, a
/// careful intake takes one message at a time until a message arrives that was never delivered before. While messages are redelivered, a
/// crash then costs a try only for the message whose handler ran. The queue of a single active consumer is taken from without this care, because
/// the broker does not deliver to the second consumer that takes the other messages.
/// </remarks>
/// <param name="link">The connection.</param>
/// <param name="channel">The channel.</param>
/// <param name="names">The names of the host.</param>
/// <param name="queue">The name of the queue.</param>
/// <param name="subscription">The prefetch and the priority. For an at-least-once queue, the intake starts with one message at a time, unless only one consumer is active.</param>
internal sealed class Intake(BrokerConnection link, IChannel channel, TopologyNames names, string queue, SubscribedQueue subscription)
{
    /// <summary>The time after which a running handler no longer delays other messages.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    private readonly object _gate = new();
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _abandoned = CancellationTokenSource.CreateLinkedTokenSource(link.Ended);
    private readonly List<string> _tags = [];
    private Task _widening = Task.CompletedTask;
    private volatile bool _isStopping;
    private volatile bool _isCareful = subscription is { Kind: DeliveryKind.AtLeastOnce, Prefetch: > 1 };
    private bool _hasRefused;
    private int _settled;

    /// <summary>The number of unsettled deliveries, plus one for each consumer that is not canceled.</summary>
    private int _open;

    /// <summary>The consumers that are not canceled.</summary>
    private int _consumers;

    /// <summary>Whether the intake takes one message at a time.</summary>
    public bool IsCareful => _isCareful;

    /// <summary>Starts to take messages.</summary>
    public Task StartAsync(IAsyncBasicConsumer consumer, CancellationToken cancellationToken) =>
        ConsumeAsync(consumer, _isCareful ? 1 : subscription.Prefetch, cancellationToken);

    /// <summary>Records a delivery.</summary>
    /// <returns><c>false</c> if the intake of a partition is stopping, so that the message must stay first in its queue; otherwise, <c>true</c>.</returns>
    public bool TryBegin()
    {
        if (subscription.Partition is null)
        {
            Interlocked.Increment(ref _open);
            return true;
        }

        lock (_gate)
        {
            if (_isStopping)
                _hasRefused = true;
            else
                Interlocked.Increment(ref _open);
            return !_isStopping;
        }
    }

    /// <summary>Records that a delivery was settled.</summary>
    public void End()
    {
        if (_isCareful)
            Interlocked.Increment(ref _settled);
        if (Interlocked.Decrement(ref _open) == 0)
            _drained.TrySetResult();
    }

    /// <summary>Ends <see cref="WaitForStuckAsync"/>, because the consumer has ended.</summary>
    public void Abandon() => _abandoned.Cancel();

    /// <summary>Completes when the only unsettled delivery exceeds the time limit, or when the intake takes several messages at a time.</summary>
    /// <exception cref="OperationCanceledException">Thrown when the consumer has ended.</exception>
    public async Task WaitForStuckAsync()
    {
        var settled = -1;
        while (_isCareful && (Volatile.Read(ref _open) == Volatile.Read(ref _consumers) || settled != Volatile.Read(ref _settled)))
        {
            settled = Volatile.Read(ref _settled);
            await Task.Delay(s_patience, _abandoned.Token).ConfigureAwait(false);
        }
    }

    /// <summary>Takes as many messages at a time as the prefetch allows.</summary>
    public Task WidenAsync(IAsyncBasicConsumer consumer)
    {
        lock (_gate)
        {
            if (_isStopping || !_isCareful)
                return Task.CompletedTask;
            _isCareful = false;
            // A second consumer is added. Canceling the first one would return a message that the broker is sending to it, and count a delivery.
            return _widening = Detached.Run(() => ConsumeAsync(consumer, subscription.Prefetch - 1, link.Ended));
        }
    }

    /// <summary>Records that the broker sends nothing more to a consumer, and that all earlier messages were delivered.</summary>
    public void NoteCanceled()
    {
        if (_isStopping && subscription.Partition is null)
            End(); // the count of the consumer itself
    }

    /// <summary>Stops taking messages, and waits until the taken messages are settled.</summary>
    /// <param name="limit">Ends the wait.</param>
    /// <returns><c>true</c> if all messages were settled; <c>false</c> if the time limit was reached or the connection is lost.</returns>
    public async Task<bool> StopAsync(CancellationToken limit)
    {
        Task widening;
        bool isFirst;
        lock (_gate)
        {
            (isFirst, widening) = (!_isStopping, _widening);
            _isStopping = true;
        }

        using var ended = CancellationTokenSource.CreateLinkedTokenSource(limit, link.Ended);
        try
        {
            await widening.WaitAsync(ended.Token).ConfigureAwait(false);
            if (isFirst && subscription.Partition is not null)
                End(); // a canceled consumer of a partition would let another host receive the next message before this message is settled; closing the channel does not
            for (var index = 0; isFirst && subscription.Partition is null && index < _tags.Count; index++)
                await channel.BasicCancelAsync(_tags[index], noWait: false, ended.Token).WaitAsync(ended.Token).ConfigureAwait(false); // the client (7.1) waits for its own ContinuationTimeout (20 s) when the token is canceled
            await _drained.Task.WaitAsync(ended.Token).ConfigureAwait(false);
            return true;
        }
        catch (Exception)
        {
            return false; // the broker delivers unsettled messages again
        }
    }

    /// <summary>Takes messages of a partition again after <see cref="StopAsync"/> reached its time limit.</summary>
    /// <returns><c>false</c> if the taken message was settled meanwhile; otherwise, <c>true</c>.</returns>
    public bool TryResume()
    {
        lock (_gate)
        {
            var open = Volatile.Read(ref _open);
            while (!_hasRefused && open > 0)
            {
                var before = Interlocked.CompareExchange(ref _open, open + 1, open); // the count of the consumer itself
                if (before == open)
                {
                    _isStopping = false;
                    return true;
                }

                open = before;
            }

            return false; // the broker has sent the next message, or is sending it
        }
    }

    private async Task ConsumeAsync(IAsyncBasicConsumer consumer, int count, CancellationToken cancellationToken)
    {
        await channel.BasicQosAsync(0, (ushort)count, global: false, cancellationToken).ConfigureAwait(false); // applies to consumers that are added later
        Interlocked.Increment(ref _consumers);
        Interlocked.Increment(ref _open);
        var arguments = new Dictionary<string, object?>();
        if (subscription.HandlerTimeout is { } timeout)
            arguments["x-consumer-timeout"] = (long)timeout.TotalMilliseconds;
        _tags.Add(await channel.BasicConsumeAsync(
            queue, autoAck: false, names.ConsumerTag(subscription.Topic), noLocal: false, exclusive: false, arguments, consumer, cancellationToken).ConfigureAwait(false));
    }
}
