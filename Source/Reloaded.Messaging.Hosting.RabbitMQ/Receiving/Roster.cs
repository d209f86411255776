using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Counts the hosts that share the partitions of a group: each of them has a consumer of one queue, which never contains a message.</summary>
/// <remarks>The broker shows the consumers of a partition only while they are active, so the partitions themselves do not show the waiting hosts.</remarks>
internal sealed class Roster(IChannel channel, string queue)
{
    /// <summary>Enters the host into the roster.</summary>
    /// <param name="channel">A channel, which must stay open while the host shares the partitions.</param>
    /// <param name="queue">The name of the queue.</param>
    /// <param name="isDurable">Whether the broker accepts shared queues only if they are durable.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async Task<Roster> JoinAsync(IChannel channel, string queue, bool isDurable, CancellationToken cancellationToken)
    {
        await channel.QueueDeclareAsync(queue, isDurable, exclusive: false, autoDelete: true, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.BasicConsumeAsync(queue, autoAck: true, new Consumer(channel), cancellationToken).ConfigureAwait(false);
        return new Roster(channel, queue);
    }

    /// <summary>Returns the largest number of partitions that this host should hold.</summary>
    /// <param name="partitions">The number of partitions.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<int> ShareAsync(int partitions, CancellationToken cancellationToken)
    {
        var hosts = Math.Max(1, (int)(await channel.QueueDeclarePassiveAsync(queue, cancellationToken).ConfigureAwait(false)).ConsumerCount);
        return (partitions + hosts - 1) / hosts;
    }

    private sealed class Consumer(IChannel channel) : AsyncDefaultBasicConsumer(channel);
}
