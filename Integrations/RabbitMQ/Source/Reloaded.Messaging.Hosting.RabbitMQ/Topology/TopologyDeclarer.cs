using System;
using System.Collections.Generic;
using System.Text;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Declares the queues from which subscriptions receive. Every queue is bounded.</summary>
internal static class TopologyDeclarer
{
    private const string DeliveryLimit = "x-delivery-limit";

    /// <summary>The number of free returns of a message. A consumer that ends also returns messages whose handlers never began.</summary>
    private const int FreeDeaths = 1;

    /// <summary>The number of times that a dead letter may be returned: any. RabbitMQ 3 accepts no negative number, which means this in RabbitMQ 4, and the default of RabbitMQ 4 is 20.</summary>
    private const int NoDeliveryLimit = int.MaxValue;

    /// <summary>The time after which a shared quorum queue of temporary use is deleted when it has no consumer.</summary>
    private static readonly TimeSpan s_abandoned = TimeSpan.FromMinutes(1);

    /// <summary>Declares the queue of a subscription.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="names">The names of the host.</param>
    /// <param name="options">The options of the host.</param>
    /// <param name="subscription">The queue.</param>
    /// <param name="sharesQuorum">Whether a shared queue must be a quorum queue to move to another node (see <see cref="BrokerVersion"/>).</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async Task<DeclaredQueue> DeclareAsync(IChannel channel, TopologyNames names, RabbitOptions options, SubscribedQueue subscription, bool sharesQuorum, CancellationToken cancellationToken)
    {
        if (subscription.Kind == DeliveryKind.AtLeastOnce)
            return await DeclareKeptAsync(channel, names, options, subscription, cancellationToken).ConfigureAwait(false);

        var arguments = new Dictionary<string, object?> { ["x-max-length"] = subscription.MaxLength, ["x-overflow"] = "drop-head" };
        var queue = subscription switch
        {
            { Group: null } => names.OwnQueue(subscription.Topic),
            { Role: ConsumerRole.Requests } => names.AnsweringQueueOf(subscription.Topic),
            { Group: { } group } => names.QueueOf(group, subscription.Topic, DeliveryKind.AtMostOnce),
        };
        var isQuorum = !subscription.IsOwn && sharesQuorum;
        if (!subscription.IsOwn)
            AddShared(arguments, subscription, isQuorum ? s_abandoned : null);
        if (isQuorum)
            AddQuorum(arguments, options);
        await DeclareQueueAsync(channel, queue, isDurable: isQuorum, isOwn: subscription.IsOwn, autoDelete: !isQuorum, arguments, cancellationToken).ConfigureAwait(false); // a quorum queue cannot be deleted with its last consumer, and expires instead
        var exchange = subscription.Role switch
        {
            ConsumerRole.Events => names.AtMostOnce,
            ConsumerRole.Requests => names.Requests,
            _ => names.Replies,
        };
        await channel.QueueBindAsync(queue, exchange, subscription.Topic, cancellationToken: cancellationToken).ConfigureAwait(false);
        return new DeclaredQueue(queue, Dead: null, DeadCount: 0);
    }

    /// <summary>Declares the queue whose consumers show how many hosts share the partitions of a group. It never contains a message.</summary>
    public static Task DeclareRosterAsync(IChannel channel, string queue, RabbitOptions options, bool sharesQuorum, CancellationToken cancellationToken)
    {
        var arguments = new Dictionary<string, object?>();
        if (sharesQuorum)
        {
            AddQuorum(arguments, options);
            arguments["x-expires"] = (long)s_abandoned.TotalMilliseconds;
        }

        return DeclareQueueAsync(channel, queue, isDurable: sharesQuorum, isOwn: false, autoDelete: !sharesQuorum, arguments, cancellationToken);
    }

    /// <summary>Declares a quorum queue. It survives a restart of the broker, counts the deliveries of a message, and refuses messages when it is full.</summary>
    private static async Task<DeclaredQueue> DeclareKeptAsync(IChannel channel, TopologyNames names, RabbitOptions options, SubscribedQueue subscription, CancellationToken cancellationToken)
    {
        var group = names.QueueOf(subscription.Group!, subscription.Topic, DeliveryKind.AtLeastOnce);
        var queue = subscription.Partition is { } partition ? names.PartitionQueueOf(subscription.Group!, subscription.Topic, partition) : group;
        var dead = names.DeadQueueOf(subscription.Group!, subscription.Topic);
        if (!options.DeclaresTopology)
        {
            await RequireAsync($"The queue '{queue}'", channel.QueueDeclarePassiveAsync(queue, cancellationToken)).ConfigureAwait(false);
            return new DeclaredQueue(queue, dead, (await RequireAsync($"The queue '{dead}'", channel.QueueDeclarePassiveAsync(dead, cancellationToken)).ConfigureAwait(false)).MessageCount);
        }

        var deadCount = await DeclareDeadAsync(channel, names, options, subscription, cancellationToken).ConfigureAwait(false);
        var arguments = Bounded(options, subscription.MaxLength, "reject-publish");
        arguments[DeliveryLimit] = subscription.MaxTries - 1 + FreeDeaths; // the broker counts how often a message was returned
        arguments["x-dead-letter-exchange"] = names.Dead;
        arguments["x-dead-letter-routing-key"] = group;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        AddShared(arguments, subscription, expiresAfter: null);
        await DeclareStoredAsync(channel, queue, arguments, cancellationToken).ConfigureAwait(false);
        if (subscription.Partition is null)
            await channel.QueueBindAsync(queue, names.AtLeastOnce, subscription.Topic, cancellationToken: cancellationToken).ConfigureAwait(false);
        else
            await PartitionDeclarer.BindQueueAsync(channel, names, subscription, queue, cancellationToken).ConfigureAwait(false);
        return new DeclaredQueue(queue, dead, deadCount);
    }

    /// <summary>Declares the queue for the dead letters of an at-least-once group.</summary>
    /// <returns>The number of dead letters.</returns>
    public static async Task<long> DeclareDeadAsync(IChannel channel, TopologyNames names, RabbitOptions options, SubscribedQueue subscription, CancellationToken cancellationToken)
    {
        var (group, dead) = (names.QueueOf(subscription.Group!, subscription.Topic, DeliveryKind.AtLeastOnce), names.DeadQueueOf(subscription.Group!, subscription.Topic));
        var overflow = options.DeadLetterFullMode == FullMode.DropOldest ? "drop-head" : "reject-publish";
        var kept = Bounded(options, subscription.MaxLength, overflow);
        kept[DeliveryLimit] = NoDeliveryLimit; // each reading of a dead letter is a delivery
        var there = await DeclareStoredAsync(channel, dead, kept, cancellationToken).ConfigureAwait(false);
        await channel.QueueBindAsync(dead, names.Dead, group, cancellationToken: cancellationToken).ConfigureAwait(false);
        return there.MessageCount;
    }

    /// <summary>Declares everything that an at-least-once group needs while its hosts run.</summary>
    public static async Task DeclareGroupAsync(IConnection connection, TopologyNames names, RabbitOptions options, SubscribedQueue group, CancellationToken cancellationToken)
    {
        await using var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        if (group.Partitions == 0)
        {
            await PartitionDeclarer.ThrowIfDividedAsync(connection, names, group, cancellationToken).ConfigureAwait(false);
            var queue = (await DeclareKeptAsync(channel, names, options, group, cancellationToken).ConfigureAwait(false)).Name;
            foreach (var delay in RabbitMQ.RetryDelay.AllOf(group.MaxTries, group.RetryDelay, group.MaxRetryDelay))
                await DeclareDelayAsync(channel, names, options, group, queue, delay, cancellationToken).ConfigureAwait(false);
            return;
        }

        await PartitionDeclarer.ThrowIfPlainAsync(connection, names, group, cancellationToken).ConfigureAwait(false);
        await PartitionDeclarer.DeclareExchangesAsync(channel, names, group, cancellationToken).ConfigureAwait(false);
        for (var number = 0; number < group.Partitions; number++)
            await DeclareKeptAsync(channel, names, options, group.PartitionOf(number), cancellationToken).ConfigureAwait(false);
        await PartitionDeclarer.BindExchangeAsync(channel, names, group, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Waits for the broker to find an exchange or a queue that this host does not declare.</summary>
    /// <exception cref="OperationInterruptedException">Thrown when it does not exist. The message says what to do.</exception>
    public static async Task<T> RequireAsync<T>(string what, Task<T> found)
    {
        await RequireAsync(what, (Task)found).ConfigureAwait(false);
        return await found.ConfigureAwait(false);
    }

    /// <inheritdoc cref="RequireAsync{T}"/>
    public static async Task RequireAsync(string what, Task found)
    {
        try
        {
            await found.ConfigureAwait(false);
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason is { ReplyCode: Constants.NotFound } missing)
        {
            throw new OperationInterruptedException(missing, $"{what} does not exist, and {nameof(RabbitOptions)}.{nameof(RabbitOptions.DeclaresTopology)} is false. Declare it with RabbitHost.DeclareGroupAsync of a host whose user may declare. The text of the broker");
        }
    }

    /// <summary>Declares a quorum queue that returns its messages to the queue of a group after a delay.</summary>
    /// <remarks>A message to a queue that does not exist returns to the host, which returns it to the queue of the group at once.</remarks>
    public static Task DeclareDelayAsync(IChannel channel, TopologyNames names, RabbitOptions options, SubscribedQueue subscription, string queue, int milliseconds, CancellationToken cancellationToken) =>
        !options.DeclaresTopology ? Task.CompletedTask : DeclareWaitingAsync(channel, names.DelayQueueOf(subscription.Group!, subscription.Topic, milliseconds), Bounded(options, subscription.MaxLength, "reject-publish"), milliseconds, "", queue, cancellationToken);

    /// <summary>Declares a quorum queue that publishes its messages to a topic after a delay.</summary>
    public static Task DeclareLaterAsync(IChannel channel, TopologyNames names, RabbitOptions options, string topic, int milliseconds, CancellationToken cancellationToken) =>
        DeclareWaitingAsync(channel, names.LaterQueueOf(topic, milliseconds), Bounded(options, options.MaxQueueLength, "reject-publish"), milliseconds, names.AtLeastOnce, topic, cancellationToken);

    /// <summary>Deletes the queue of a group without consumers, its delayed messages and its dead letters.</summary>
    /// <param name="connection">The connection. The broker may close it while messages are published to the queue.</param>
    /// <param name="names">The names of the queues.</param>
    /// <param name="topic">The topic of the subscription.</param>
    /// <param name="group">The name of the group.</param>
    /// <param name="kind">The delivery guarantee of the subscription.</param>
    /// <param name="deleted">The number of deleted messages is added to this, queue by queue.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="InvalidOperationException">Thrown when the queue has consumers.</exception>
    public static async Task RemoveGroupAsync(
        IConnection connection,
        TopologyNames names,
        string topic,
        string group,
        DeliveryKind kind,
        StrongBox<long> deleted,
        CancellationToken cancellationToken)
    {
        var queue = names.QueueOf(group, topic, kind);
        var there = await FindAsync(connection, queue, cancellationToken).ConfigureAwait(false);
        var partition = kind == DeliveryKind.AtLeastOnce ? await FindAsync(connection, names.PartitionQueueOf(group, topic, 0), cancellationToken).ConfigureAwait(false) : null;
        if ((there?.ConsumerCount ?? 0) + (partition?.ConsumerCount ?? 0) is > 0 and var consumers)
            throw new InvalidOperationException($"The group '{group}' of the topic '{topic}' was not removed. Its queue has {consumers} consumers. Dispose the subscriptions first.");

        await using var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        await DeleteAsync(queue).ConfigureAwait(false);
        if (kind != DeliveryKind.AtLeastOnce)
            return;
        if (partition is not null)
            deleted.Value += await PartitionDeclarer.DeleteAsync(channel, names, topic, group, cancellationToken).ConfigureAwait(false);
        foreach (var delay in RetryDelay.All())
            await DeleteAsync(names.DelayQueueOf(group, topic, delay)).ConfigureAwait(false);
        await DeleteAsync(names.DeadQueueOf(group, topic)).ConfigureAwait(false);

        async Task DeleteAsync(string name) =>
            deleted.Value += await channel.QueueDeleteAsync(name, ifUnused: false, ifEmpty: false, cancellationToken: cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns the state of a queue, or <c>null</c> if the queue does not exist.</summary>
    public static async Task<QueueDeclareOk?> FindAsync(IConnection connection, string queue, CancellationToken cancellationToken)
    {
        await using var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false); // the broker closes it if the queue does not exist
        try
        {
            return await channel.QueueDeclarePassiveAsync(queue, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason?.ReplyCode == Constants.NotFound)
        {
            return null;
        }
    }

    private static Task<QueueDeclareOk> DeclareWaitingAsync(IChannel channel, string queue, Dictionary<string, object?> arguments, int milliseconds, string exchange, string key, CancellationToken cancellationToken)
    {
        arguments["x-message-ttl"] = milliseconds;
        arguments["x-dead-letter-exchange"] = exchange;
        arguments["x-dead-letter-routing-key"] = key;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        return DeclareStoredAsync(channel, queue, arguments, cancellationToken);
    }

    private static Task<QueueDeclareOk> DeclareStoredAsync(IChannel channel, string queue, Dictionary<string, object?> arguments, CancellationToken cancellationToken) =>
        DeclareQueueAsync(channel, queue, isDurable: true, isOwn: false, autoDelete: false, arguments, cancellationToken);

    /// <exception cref="OperationInterruptedException">Thrown when the broker refused. If the queue exists with other arguments, the message says what to do.</exception>
    private static async Task<QueueDeclareOk> DeclareQueueAsync(IChannel channel, string queue, bool isDurable, bool isOwn, bool autoDelete, Dictionary<string, object?> arguments, CancellationToken cancellationToken)
    {
        try
        {
            return await channel.QueueDeclareAsync(queue, isDurable, exclusive: isOwn, autoDelete, arguments, cancellationToken: cancellationToken).ConfigureAwait(false);
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason is { ReplyCode: Constants.PreconditionFailed } refused && refused.ReplyText.Contains("inequivalent arg", StringComparison.Ordinal))
        {
            throw new OperationInterruptedException(refused, $"The queue '{queue}' exists with other arguments. Use the options with which it was declared, or move its messages and delete it, for example with \"rabbitmqctl delete_queue '{queue}'\". The text of the broker");
        }
    }

    private static Dictionary<string, object?> Bounded(RabbitOptions options, int maxLength, string whenFull)
    {
        var bounds = new Dictionary<string, object?> { ["x-max-length"] = maxLength, ["x-overflow"] = whenFull };
        AddQuorum(bounds, options);
        return bounds;
    }

    private static void AddQuorum(Dictionary<string, object?> arguments, RabbitOptions options)
    {
        arguments["x-queue-type"] = "quorum";
        if (options.QueueReplicas is { } replicas)
            arguments["x-quorum-initial-group-size"] = replicas;
    }

    private static void AddShared(Dictionary<string, object?> arguments, SubscribedQueue subscription, TimeSpan? expiresAfter)
    {
        if (subscription.Partitions > 0)
            arguments["x-single-active-consumer"] = true;
        if (expiresAfter is { } time)
            arguments["x-expires"] = (long)time.TotalMilliseconds;
    }
}

/// <summary>The queue from which a subscription receives.</summary>
/// <param name="Name">The name of the queue.</param>
/// <param name="Dead">The name of its dead-letter queue; <c>null</c> if the queue has no dead letters.</param>
/// <param name="DeadCount">The number of messages in the dead-letter queue.</param>
internal readonly record struct DeclaredQueue(string Name, string? Dead, long DeadCount);

/// <summary>Determines the behavior of a broker from the version that it reports.</summary>
internal static class BrokerVersion
{
    /// <summary>Returns whether a shared queue must be a quorum queue to move to another node when its node fails, as from RabbitMQ 4 on. Earlier brokers move a queue that is not durable.</summary>
    /// <param name="properties">The properties that the broker sent when the connection was opened.</param>
    /// <returns><c>true</c> for version 4 and later; <c>false</c> for earlier and for unknown versions.</returns>
    public static bool SharesQuorum(IDictionary<string, object?>? properties) =>
        properties is not null
        && properties.TryGetValue("version", out var value) && value is byte[] text
        && Version.TryParse(Encoding.UTF8.GetString(text).Split('-', '+')[0], out var version)
        && version.Major >= 4;
}
