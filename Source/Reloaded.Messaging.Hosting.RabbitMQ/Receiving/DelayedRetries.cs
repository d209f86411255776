using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes messages whose handlers threw to queues without consumers. When the delay of such a queue is over, the broker moves the message back.</summary>
/// <remarks>
/// The client confirms the publication before the original delivery is acknowledged, so a message is in at least one queue at any time. The channel
/// belongs to the publishing connection, because a broker that is low on memory stops reading from a connection that publishes.
/// </remarks>
/// <param name="link">The connection.</param>
/// <param name="names">The names of the host.</param>
/// <param name="options">The options of the host.</param>
/// <param name="reports">Reports that the broker refuses the queue of a delay.</param>
/// <param name="subscription">The queue of the group.</param>
/// <param name="queue">The name of the queue of the group.</param>
internal sealed class DelayedRetries(BrokerConnection link, TopologyNames names, RabbitOptions options, HostReports reports, SubscribedQueue subscription, string queue) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly HashSet<int> _declared = [];
    private IChannel? _channel;
    private volatile bool _isDisposed;

    /// <summary>Stores a message in the queue of its delay.</summary>
    /// <param name="delivery">The delivery, with a copy of the body.</param>
    /// <returns><c>true</c> if the broker has confirmed the message; <c>false</c> if the broker refused it or did not answer in time, or if the channel was lost. The caller counts it.</returns>
    public async Task<bool> TryDelayAsync(Delivery delivery)
    {
        var delay = RetryDelay.Of(delivery.From.Tries, subscription.RetryDelay, subscription.MaxRetryDelay);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(link.Ended);
        limit.CancelAfter(options.ConfirmTimeout);
        try
        {
            var channel = await EnsureAsync(delay, limit.Token).ConfigureAwait(false);
            await channel.BasicPublishAsync("", names.DelayQueueOf(subscription.Group!, subscription.Topic, delay), mandatory: true, Envelope.ForRetry(delivery), delivery.Body, limit.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason is { ReplyCode: Constants.PreconditionFailed or Constants.AccessRefused } && !link.IsLost)
        {
            reports.ReportFailure(delivery.From, 0, e); // the queue exists with other arguments, or permissions are missing
            return false;
        }
        catch (Exception e) when (link.IsLost || e is PublishException or OperationInterruptedException or OperationCanceledException or ObjectDisposedException)
        {
            return false;
        }
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

    /// <summary>Returns the channel, after declaring the queue of a delay.</summary>
    private async Task<IChannel> EnsureAsync(int delay, CancellationToken cancellationToken)
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

            if (!_declared.Contains(delay))
            {
                await TopologyDeclarer.DeclareDelayAsync(channel, names, options, subscription, queue, delay, cancellationToken).ConfigureAwait(false);
                _declared.Add(delay);
            }

            return channel;
        }
        finally
        {
            _gate.Release();
        }
    }
}
