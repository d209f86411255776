using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Reads the dead letters of a group, moves them back to the group, and removes them. For tools and operators.</summary>
/// <remarks>
/// A dead letter that is neither moved nor removed returns to its place when the queue is disposed, or when the process ends. No call loses a dead letter. If
/// the process ends amid <see cref="MoveAsync"/>, the group may receive the message and keep the dead letter. Use one method at a time. A lost connection
/// is not opened again: dispose the queue, and open another one.
/// </remarks>
public sealed class DeadLetterQueue : IAsyncDisposable
{
    private readonly OwnedConnection _connection;
    private readonly IChannel _channel;
    private readonly string _queue;
    private readonly string _source;
    private readonly string[] _partitions;
    private readonly string _events;

    private DeadLetterQueue(OwnedConnection connection, IChannel channel, TopologyNames names, string topic, string group)
    {
        _connection = connection;
        _channel = channel;
        _queue = names.DeadQueueOf(group, topic);
        _source = names.QueueOf(group, topic, DeliveryKind.AtLeastOnce);
        _partitions = new string[PartitionSlot.Count];
        for (var number = 0; number < _partitions.Length; number++)
            _partitions[number] = names.PartitionQueueOf(group, topic, number);
        _events = names.AtLeastOnce;
        Topic = topic;
        Group = group;
    }

    /// <summary>The topic of the group's subscription, with its wildcards.</summary>
    public string Topic { get; }

    /// <summary>The name of the group.</summary>
    public string Group { get; }

    /// <summary>Connects to a broker and opens the dead letters of a group. Declares nothing.</summary>
    /// <param name="factory">The settings of the client library: address, credentials and TLS. They are not changed.</param>
    /// <param name="topic">The topic of the group's subscription, with its wildcards.</param>
    /// <param name="group">The name of the group.</param>
    /// <param name="options">The options of the group's hosts, for their scope, their endpoints and the size of messages (default: the options of a host).</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="ArgumentException">Thrown when a name is too long, or when the name of the group contains a dot.</exception>
    /// <exception cref="InvalidOperationException">Thrown when the group has no queue of dead letters.</exception>
    /// <exception cref="BrokerUnreachableException">Thrown when no broker could be reached, or the broker refused the user or TLS. The inner exception has the reason.</exception>
    /// <exception cref="OperationInterruptedException">Thrown when permissions are missing.</exception>
    public static async Task<DeadLetterQueue> OpenAsync(ConnectionFactory factory, string topic, string group, RabbitOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        AmqpName.Checked(topic, AmqpName.MaxTopic, nameof(topic));
        AmqpName.CheckedPart(group, AmqpName.MaxName, nameof(group));
        options ??= new RabbitOptions();
        var names = new TopologyNames(options.Scope, options.Name);
        var connection = await OwnedConnection.OpenAsync(factory, options, $"{names.HostId} reads dead letters", cancellationToken).ConfigureAwait(false);
        try
        {
            var confirmed = new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true);
            var channel = await connection.Connection.CreateChannelAsync(confirmed, cancellationToken).ConfigureAwait(false);
            var queue = new DeadLetterQueue(connection, channel, names, topic, group);
            _ = await queue.FindAsync(queue._queue, cancellationToken).ConfigureAwait(false)
                ?? throw new InvalidOperationException($"The group '{group}' has no dead letters of the topic '{topic}': the queue '{queue._queue}' does not exist. Check the topic with its wildcards, the group, {nameof(RabbitOptions)}.{nameof(RabbitOptions.Scope)} and the virtual host.");
            return queue;
        }
        catch
        {
            await connection.CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Gets the number of dead letters, and the state of the group's queue.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="OperationInterruptedException">Thrown when the connection was lost.</exception>
    public async Task<DeadLetterCounts> CountAsync(CancellationToken cancellationToken = default)
    {
        var dead = await FindAsync(_queue, cancellationToken).ConfigureAwait(false);
        long waiting = 0, consumers = 0;
        await foreach (var source in FindSourcesAsync(cancellationToken).ConfigureAwait(false))
            (waiting, consumers) = (waiting + source.MessageCount, consumers + source.ConsumerCount);
        return new DeadLetterCounts(dead?.MessageCount ?? 0, waiting, consumers);
    }

    /// <summary>Reads the dead letters, oldest first. Those that arrive later are not read.</summary>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <returns>The dead letters. No other program reads them until they are moved or removed, or until the queue is disposed. Enumerate once.</returns>
    /// <exception cref="OperationInterruptedException">Thrown when the connection was lost.</exception>
    public async IAsyncEnumerable<DeadLetter> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        long? left = null;
        while (left != 0)
        {
            if (await _channel.BasicGetAsync(_queue, autoAck: false, cancellationToken).ConfigureAwait(false) is not { } delivery)
                yield break;
            left = (left ?? (delivery.MessageCount + 1L)) - 1; // those that were there at the first one
            var from = Envelope.ReadOrigin(delivery.Redelivered, delivery.Exchange, delivery.RoutingKey, delivery.BasicProperties, _events);
            yield return new DeadLetter(delivery, from);
        }
    }

    /// <summary>Publishes a dead letter to the queue of its group, or of its partition, and removes it from the dead letters after the broker has confirmed it.</summary>
    /// <param name="letter">A dead letter that <see cref="ReadAsync"/> returned, and that was neither moved nor removed.</param>
    /// <param name="cancellationToken">Ends the wait. The group may have received the message then.</param>
    /// <exception cref="InvalidOperationException">Thrown when the queue of the group is full or does not exist. The dead letter stays.</exception>
    /// <exception cref="OperationInterruptedException">Thrown when the connection was lost. The dead letter stays.</exception>
    public async Task MoveAsync(DeadLetter letter, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(letter);
        var target = Array.Find(_partitions, partition => partition == letter.Source) ?? _source;
        try
        {
            await _channel.BasicPublishAsync("", target, mandatory: true, Envelope.ForReturn(letter.Delivery.BasicProperties, letter.Origin.Topic, letter.Deaths), letter.Delivery.Body, cancellationToken).ConfigureAwait(false);
        }
        catch (PublishException e)
        {
            throw new InvalidOperationException(
                e.IsReturn
                    ? $"The group '{Group}' has no queue for the topic '{Topic}': '{target}' does not exist. Subscribe a host with the group, and move the dead letters then."
                    : $"The queue '{target}' of the group '{Group}' refused a dead letter, because the queue is full. Start hosts of the group, and move the dead letters when there is room.",
                e);
        }

        await RemoveAsync(letter, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Removes a dead letter from the broker.</summary>
    /// <param name="letter">A dead letter that <see cref="ReadAsync"/> returned, and that was neither moved nor removed.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="OperationInterruptedException">Thrown when the connection was lost. The dead letter stays.</exception>
    public async Task RemoveAsync(DeadLetter letter, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(letter);
        await _channel.BasicAckAsync(letter.Delivery.DeliveryTag, multiple: false, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes the connection. Dead letters that were read, and neither moved nor removed, return to their places.</summary>
    public async ValueTask DisposeAsync() => await _connection.CloseAsync().ConfigureAwait(false);

    /// <summary>Returns the state of the group's queue, or of each of its partitions.</summary>
    private async IAsyncEnumerable<QueueDeclareOk> FindSourcesAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (await FindAsync(_source, cancellationToken).ConfigureAwait(false) is { } whole)
        {
            yield return whole;
            yield break;
        }

        foreach (var name in _partitions)
        {
            if (await FindAsync(name, cancellationToken).ConfigureAwait(false) is not { } partition)
                yield break;
            yield return partition;
        }
    }

    private async Task<QueueDeclareOk?> FindAsync(string queue, CancellationToken cancellationToken) =>
        await TopologyDeclarer.FindAsync(_connection.Connection, queue, cancellationToken).ConfigureAwait(false);
}

/// <summary>The messages of a group at one moment.</summary>
/// <param name="DeadLetters">The number of dead letters that no program is reading now.</param>
/// <param name="Waiting">The number of messages that wait in the group's queue, or in all its partitions; 0 if the queue does not exist.</param>
/// <param name="Consumers">The number of consumers of the group's queue, or of all its partitions; 0 if no host is subscribed. A subscription may have two consumers.</param>
public readonly record struct DeadLetterCounts(long DeadLetters, long Waiting, long Consumers);
