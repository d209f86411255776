using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Declares the queues from which subscriptions receive. Every queue is bounded.</summary>
internal static class TopologyDeclarer
{
    /// <summary>The number of free returns of a message. A consumer that ends also returns messages whose handlers never began.</summary>
    private const int FreeDeaths = 1;

    /// <summary>Declares the queue of a subscription.</summary>
    public static async Task<DeclaredQueue> DeclareAsync(IChannel channel, TopologyNames names, RabbitOptions options, SubscribedQueue subscription, CancellationToken cancellationToken)
    {
        if (subscription.Kind == DeliveryKind.AtLeastOnce)
            return await DeclareKeptAsync(channel, names, options, subscription, cancellationToken).ConfigureAwait(false);

        var arguments = new Dictionary<string, object?> { ["x-max-length"] = options.MaxQueueLength, ["x-overflow"] = "drop-head" };
        var queue = subscription switch
        {
            { Group: null } => names.OwnQueue(subscription.Topic),
            { Role: ConsumerRole.Requests } => names.AnsweringQueueOf(subscription.Topic),
            { Group: { } group } => names.QueueOf(group, subscription.Topic, DeliveryKind.AtMostOnce),
        };
        await channel.QueueDeclareAsync(queue, durable: false, exclusive: subscription.IsOwn, autoDelete: true, arguments, cancellationToken: cancellationToken).ConfigureAwait(false);
        var exchange = subscription.Role switch
        {
            ConsumerRole.Events => names.AtMostOnce,
            ConsumerRole.Requests => names.Requests,
            _ => names.Replies,
        };
        await channel.QueueBindAsync(queue, exchange, subscription.Topic, cancellationToken: cancellationToken).ConfigureAwait(false);
        return new DeclaredQueue(queue, Dead: null, DeadCount: 0);
    }

    /// <summary>Declares a quorum queue. It survives a restart of the broker, counts the deliveries of a message, and refuses messages when it is full.</summary>
    private static async Task<DeclaredQueue> DeclareKeptAsync(IChannel channel, TopologyNames names, RabbitOptions options, SubscribedQueue subscription, CancellationToken cancellationToken)
    {
        var queue = names.QueueOf(subscription.Group!, subscription.Topic, DeliveryKind.AtLeastOnce);
        var dead = names.DeadQueueOf(subscription.Group!, subscription.Topic);
        var overflow = options.DeadLetterOverflow == DeadLetterOverflow.DropOldest ? "drop-head" : "reject-publish";
        var there = await channel.QueueDeclareAsync(dead, durable: true, exclusive: false, autoDelete: false, Bounded(overflow), cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.QueueBindAsync(dead, names.Dead, queue, cancellationToken: cancellationToken).ConfigureAwait(false);

        var arguments = Bounded("reject-publish");
        arguments["x-delivery-limit"] = options.MaxTries - 1 + FreeDeaths; // the broker counts how often a message was returned
        arguments["x-dead-letter-exchange"] = names.Dead;
        arguments["x-dead-letter-routing-key"] = queue;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.QueueBindAsync(queue, names.AtLeastOnce, subscription.Topic, cancellationToken: cancellationToken).ConfigureAwait(false);
        return new DeclaredQueue(queue, dead, there.MessageCount);

        Dictionary<string, object?> Bounded(string whenFull) => new()
        {
            ["x-queue-type"] = "quorum",
            ["x-max-length"] = options.MaxQueueLength,
            ["x-overflow"] = whenFull,
        };
    }
}
