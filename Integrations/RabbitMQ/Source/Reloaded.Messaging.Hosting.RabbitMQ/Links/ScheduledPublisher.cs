using System;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes events that reach their topic after a delay. They wait at the broker, in a queue without consumers for each topic and delay.</summary>
/// <param name="keeper">The connection.</param>
/// <param name="queues">The names and the options of the host.</param>
/// <param name="writer">Packs the messages.</param>
internal sealed class ScheduledPublisher(LinkKeeper keeper, PublishQueues queues, MessageWriter writer)
{
    /// <summary>The longest delay.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromHours(24);

    private const int Shortest = 64;

    /// <summary>Returns the delay of the queue, in milliseconds: one of eight steps between two powers of two, so that a topic has few queues.</summary>
    public static int QueueDelayOf(TimeSpan delay)
    {
        var milliseconds = Math.Max(Shortest, (int)Math.Ceiling(delay.TotalMilliseconds));
        var step = 1 << (BitOperations.Log2((uint)milliseconds) - 3);
        return (milliseconds + step - 1) / step * step;
    }

    /// <summary>Publishes an event. If the connection is lost before the broker has confirmed the message, it is published again over the next connection, marked.</summary>
    public async Task PublishAsync<T>(string topic, T message, TimeSpan delay, PublishOptions options, CancellationToken cancellationToken)
    {
        AmqpName.Checked(topic, AmqpName.MaxTopic, nameof(topic));
        Guard.Between(TimeSpan.Zero, Longest, delay, nameof(delay));
        var milliseconds = QueueDelayOf(delay);
        var contract = MessageContract.GetDeclared<T>();
        using var packed = writer.Pack(contract, in message);
        var properties = Envelope.ForSchedule(contract.Type, queues.Names.HostId, options.MessageId ?? Guid.NewGuid().ToString("N"), options.Key is { } key ? PartitionSlot.Of(key) : 0);
        if (InstrumentSet.Published is { IsTraced: true })
            RabbitTracing.Inject(properties.Headers!, Activity.Current);
        while (true)
        {
            var link = await keeper.WaitForLinkAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                var queue = queues.Names.LaterQueueOf(topic, milliseconds);
                await WaitAsync(
                    queue,
                    token => link.Scheduled.PublishAsync(
                        queue,
                        (channel, token) => TopologyDeclarer.DeclareLaterAsync(channel, queues.Names, queues.Options, topic, milliseconds, token),
                        properties,
                        packed.Memory,
                        token),
                    cancellationToken).ConfigureAwait(false);
                queues.Reports.Count(RabbitCounter.Confirmed);
                return;
            }
            catch (Exception) when (link.IsLost || !link.Publishing.IsOpen)
            {
                properties.Headers![TopologyNames.RepeatedHeader] = true; // the broker may have stored the message
                await link.Lost.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Waits for the broker. The time during an alarm, for which the broker confirms nothing, does not count.</summary>
    private async Task WaitAsync(string queue, Func<CancellationToken, Task> publish, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var stored = publish(limit.Token);
        bool wasBlocked;
        do
        {
            wasBlocked = queues.AtLeastOnce.IsBlocked;
            await Task.WhenAny(stored, Task.Delay(queues.Options.ConfirmTimeout, limit.Token)).ConfigureAwait(false);
        }
        while (!stored.IsCompleted && !cancellationToken.IsCancellationRequested && (wasBlocked || queues.AtLeastOnce.IsBlocked));

        var isLate = !stored.IsCompleted && !cancellationToken.IsCancellationRequested;
        await limit.CancelAsync().ConfigureAwait(false);
        try
        {
            await stored.ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (isLate)
        {
            throw new TimeoutException($"The broker has not stored the message in the queue '{queue}' within {queues.Options.ConfirmTimeout}, and may do so later. Publish it again with the same {nameof(PublishOptions.MessageId)}.");
        }
    }
}
