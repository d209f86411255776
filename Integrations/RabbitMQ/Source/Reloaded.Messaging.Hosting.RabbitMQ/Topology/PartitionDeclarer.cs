using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Declares the exchanges that distribute the messages of a topic to the partitions of a group.</summary>
internal static class PartitionDeclarer
{
    /// <exception cref="InvalidOperationException">Thrown when the group exists without partitions.</exception>
    public static async Task ThrowIfPlainAsync(IConnection connection, TopologyNames names, SubscribedQueue group, CancellationToken cancellationToken)
    {
        var plain = names.QueueOf(group.Group!, group.Topic, DeliveryKind.AtLeastOnce);
        if (await TopologyDeclarer.FindAsync(connection, plain, cancellationToken).ConfigureAwait(false) is null)
            return;
        var advice = await HasPartitionsAsync(connection, names, group, cancellationToken).ConfigureAwait(false)
            ? $"has the queue '{plain}' beside its partitions, with a copy of each message: a host has subscribed without {nameof(SubscriptionOptions.Partitions)}. End that host, and delete the queue, for example with \"rabbitmqctl delete_queue '{plain}'\". RemoveGroupAsync would delete the messages of the partitions too."
            : $"exists without partitions. Remove it with RemoveGroupAsync, or subscribe without {nameof(SubscriptionOptions.Partitions)}.";
        throw new InvalidOperationException($"The group '{group.Group}' of the topic '{group.Topic}' {advice}");
    }

    /// <exception cref="InvalidOperationException">Thrown when the group exists with partitions.</exception>
    public static async Task ThrowIfDividedAsync(IConnection connection, TopologyNames names, SubscribedQueue group, CancellationToken cancellationToken)
    {
        if (await HasPartitionsAsync(connection, names, group, cancellationToken).ConfigureAwait(false))
            throw new InvalidOperationException($"The group '{group.Group}' of the topic '{group.Topic}' exists with partitions. Subscribe with {nameof(SubscriptionOptions.Partitions)}, as its other hosts do. Otherwise, each message would be stored and handled twice.");
    }

    /// <summary>Declares the exchanges of a group. The broker refuses another number of partitions, because the name of the second exchange contains it.</summary>
    public static async Task DeclareExchangesAsync(IChannel channel, TopologyNames names, SubscribedQueue group, CancellationToken cancellationToken)
    {
        var unkeyed = names.UnkeyedExchangeOf(group.Group!, group.Topic, group.Partitions);
        await channel.ExchangeDeclareAsync(unkeyed, ExchangeType.Fanout, durable: true, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.ExchangeDeclareAsync(
            names.PartitionExchangeOf(group.Group!, group.Topic),
            ExchangeType.Headers,
            durable: true,
            autoDelete: false,
            new Dictionary<string, object?> { ["alternate-exchange"] = unkeyed },
            cancellationToken: cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Binds the queue of a partition to its slots. The first partition also receives the messages without a key.</summary>
    public static async Task BindQueueAsync(IChannel channel, TopologyNames names, SubscribedQueue partition, string queue, CancellationToken cancellationToken)
    {
        var (exchange, number) = (names.PartitionExchangeOf(partition.Group!, partition.Topic), partition.Partition!.Value);
        foreach (var slot in PartitionSlot.BindingsOf(number, partition.Partitions))
            await channel.QueueBindAsync(queue, exchange, "", slot, cancellationToken: cancellationToken).ConfigureAwait(false);
        if (number == 0)
            await channel.QueueBindAsync(queue, names.UnkeyedExchangeOf(partition.Group!, partition.Topic, partition.Partitions), "", cancellationToken: cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Starts the distribution, after the queues of all partitions were bound.</summary>
    public static Task BindExchangeAsync(IChannel channel, TopologyNames names, SubscribedQueue group, CancellationToken cancellationToken) =>
        channel.ExchangeBindAsync(names.PartitionExchangeOf(group.Group!, group.Topic), names.AtLeastOnce, group.Topic, cancellationToken: cancellationToken);

    private static async Task<bool> HasPartitionsAsync(IConnection connection, TopologyNames names, SubscribedQueue group, CancellationToken cancellationToken) =>
        await TopologyDeclarer.FindAsync(connection, names.PartitionQueueOf(group.Group!, group.Topic, 0), cancellationToken).ConfigureAwait(false) is not null;

    /// <summary>Deletes the queues and exchanges of a group.</summary>
    /// <returns>The number of messages that were deleted.</returns>
    public static async Task<long> DeleteAsync(IChannel channel, TopologyNames names, string topic, string group, CancellationToken cancellationToken)
    {
        await channel.ExchangeDeleteAsync(names.PartitionExchangeOf(group, topic), cancellationToken: cancellationToken).ConfigureAwait(false);
        long deleted = 0;
        for (var number = 0; number < PartitionSlot.Count; number++)
        {
            deleted += await channel.QueueDeleteAsync(names.PartitionQueueOf(group, topic, number), ifUnused: false, ifEmpty: false, cancellationToken: cancellationToken).ConfigureAwait(false);
            await channel.ExchangeDeleteAsync(names.UnkeyedExchangeOf(group, topic, number + 1), cancellationToken: cancellationToken).ConfigureAwait(false);
        }

        return deleted;
    }
}
