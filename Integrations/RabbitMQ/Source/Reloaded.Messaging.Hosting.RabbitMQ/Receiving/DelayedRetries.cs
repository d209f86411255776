using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes messages whose handlers threw to queues without consumers. When the delay of such a queue is over, the broker moves the message back.</summary>
/// <remarks>The client confirms the publication before the original delivery is acknowledged, so a message is in at least one queue at any time.</remarks>
/// <param name="link">The connection.</param>
/// <param name="names">The names of the host.</param>
/// <param name="options">The options of the host.</param>
/// <param name="reports">Reports that the broker refuses the queue of a delay.</param>
/// <param name="subscription">The queue of the group.</param>
/// <param name="queue">The name of the queue of the group.</param>
internal sealed class DelayedRetries(BrokerConnection link, TopologyNames names, RabbitOptions options, HostReports reports, SubscribedQueue subscription, string queue) : IAsyncDisposable
{
    private readonly DelayChannel _channel = new(link);

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
            await _channel.PublishAsync(
                names.DelayQueueOf(subscription.Group!, subscription.Topic, delay),
                (channel, cancellationToken) => TopologyDeclarer.DeclareDelayAsync(channel, names, options, subscription, queue, delay, cancellationToken),
                Envelope.ForRetry(delivery),
                delivery.Body,
                limit.Token).ConfigureAwait(false);
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
    public ValueTask DisposeAsync() => _channel.DisposeAsync();
}
