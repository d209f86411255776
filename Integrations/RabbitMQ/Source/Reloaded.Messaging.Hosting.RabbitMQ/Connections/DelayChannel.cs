using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A channel that publishes to queues without consumers. When the delay of such a queue is over, the broker moves the message on. The channel is created when it is first needed.</summary>
/// <remarks>
/// The channel belongs to the publishing connection, because a broker that is low on memory stops reading from a connection that publishes.
/// </remarks>
/// <param name="link">The connection.</param>
internal sealed class DelayChannel(BrokerConnection link) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly HashSet<string> _declared = [];
    private IChannel? _channel;
    private volatile bool _isDisposed;

    /// <summary>Publishes a message to a queue. Completes when the broker has confirmed the message.</summary>
    /// <param name="queue">The name of the queue.</param>
    /// <param name="declare">Declares the queue, before the first message to it.</param>
    /// <param name="properties">The properties of the message.</param>
    /// <param name="body">The body of the message.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.PublishException">Thrown when the queue is full or does not exist.</exception>
    public async Task PublishAsync(string queue, Func<IChannel, CancellationToken, Task> declare, BasicProperties properties, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        var channel = await EnsureAsync(queue, declare, cancellationToken).ConfigureAwait(false);
        await channel.BasicPublishAsync("", queue, mandatory: true, properties, body, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Closes the channel. Messages can no longer be delayed.</summary>
    public async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        await _gate.WaitAsync(link.Ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // a channel that is being created is closed too
        if (_channel is { } channel)
            await channel.DisposeAsync().ConfigureAwait(false);
        _gate.Release();
    }

    /// <summary>Returns the channel, after declaring a queue.</summary>
    private async Task<IChannel> EnsureAsync(string queue, Func<IChannel, CancellationToken, Task> declare, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_channel is not { IsOpen: true } channel)
            {
                _declared.Clear();
                _channel = channel = await link.Publishing.CreateChannelAsync(new CreateChannelOptions(true, publisherConfirmationTrackingEnabled: true), cancellationToken).ConfigureAwait(false);
            }

            if (!_declared.Contains(queue))
            {
                await declare(channel, cancellationToken).ConfigureAwait(false);
                _declared.Add(queue);
            }

            return channel;
        }
        finally
        {
            _gate.Release();
        }
    }
}
