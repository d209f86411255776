using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The queues of a host for the messages that it publishes. They outlive connections.</summary>
internal sealed class PublishQueues(RabbitOptions options, TopologyNames names, HostReports reports)
{
    /// <summary>Raised with the id and the name of a request that no host answers.</summary>
    public event Action<uint, string>? Unanswered;

    public RabbitOptions Options => options;

    public TopologyNames Names => names;

    public HostReports Reports => reports;

    /// <summary>The queue for at-most-once events.</summary>
    public PublishQueue AtMostOnce { get; } = new(options.Limits.MaxPendingBytes, confirms: false);

    /// <summary>The queue for requests and replies. It has its own channel, so that they do not wait behind events.</summary>
    public PublishQueue Direct { get; } = new(options.Limits.MaxPendingBytes, confirms: false);

    /// <summary>The queue for messages that are kept until the broker has confirmed them.</summary>
    public PublishQueue AtLeastOnce { get; } = new(options.Limits.MaxPendingBytes, confirms: true);

    /// <summary>The number of messages that were lost here.</summary>
    public long Dropped => AtMostOnce.Counts.Dropped + Direct.Counts.Dropped + AtLeastOnce.Counts.Dropped;

    private PublishQueue[] All => [AtMostOnce, Direct, AtLeastOnce];

    /// <summary>Creates the channels of a connection, and opens the queues.</summary>
    /// <returns>The loops that publish. They must not run before the connection is complete.</returns>
    public async Task<Func<Task>[]> OpenAsync(BrokerConnection link, CancellationToken cancellationToken)
    {
        PublishingChannel[] channels =
        [
            new(this, link, AtMostOnce, DeliveryKind.AtMostOnce),
            new(this, link, Direct, DeliveryKind.AtMostOnce),
            new(this, link, AtLeastOnce, DeliveryKind.AtLeastOnce),
        ];
        foreach (var channel in channels)
            await channel.OpenAsync(cancellationToken).ConfigureAwait(false);
        foreach (var queue in All)
            queue.Open();
        if (link.IsLost)
            Close(); // the connection was lost before the queues were open
        return Array.ConvertAll(channels, static channel => (Func<Task>)channel.RunAsync);
    }

    /// <summary>Closes the queues because the connection is lost.</summary>
    public void Close() => Array.ForEach(All, static queue => queue.Close());

    /// <summary>Records whether the broker accepts messages.</summary>
    public void Block(bool isBlocked) => Array.ForEach(All, queue => queue.Block(isBlocked));

    /// <summary>Refuses all further messages.</summary>
    public void Seal() => Array.ForEach(All, static queue => queue.Seal());

    /// <summary>Discards the messages and returns all memory. Called when no loop uses the queues any more.</summary>
    public void Dispose() => Array.ForEach(All, static queue => queue.Dispose());

    /// <summary>Completes when all messages added so far are sent; at least once, when the broker has confirmed them.</summary>
    public Task FlushAsync() => Task.WhenAll(Array.ConvertAll(All, static queue => queue.FlushAsync()));

    /// <summary>Reports a request that no host answers.</summary>
    public void ReportUnanswered(uint correlationId, string name) => Unanswered?.Invoke(correlationId, name);
}
