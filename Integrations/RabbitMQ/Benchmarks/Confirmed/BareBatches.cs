using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.RateLimiting;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Rabbit.Publishing;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Confirmed;

/// <summary>Publishes with the client library alone, as its documentation recommends: the client tracks the confirms, and the publisher awaits batches of publications.</summary>
/// <remarks>The window is full while two batches are on the way. The limiter does not delay publications, unlike the one that the client uses by default.</remarks>
public sealed class BareBatches : IConfirmedPublisher
{
    private const int Batch = IConfirmedPublisher.Window / 2;

    private readonly BareMessage _message = new(DeliveryModes.Persistent);
    private readonly IChannel _channel;
    private readonly string _exchange;
    private readonly string _topic;

    private BareBatches(IChannel channel, string exchange, string topic) => (_channel, _exchange, _topic) = (channel, exchange, topic);

    /// <summary>Creates the publisher and its channel.</summary>
    public static async Task<BareBatches> OpenAsync(IConnection connection, string exchange, string topic)
    {
        var limiter = new ConcurrencyLimiter(new ConcurrencyLimiterOptions { PermitLimit = IConfirmedPublisher.Window, QueueLimit = int.MaxValue });
        return new BareBatches(await connection.CreateChannelAsync(new CreateChannelOptions(true, true, limiter)), exchange, topic);
    }

    public async Task<long> PublishAsync(TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        long count = 0;
        var (older, newer) = (new List<Task>(Batch), new List<Task>(Batch));
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < Batch; i++)
                newer.Add(_channel.BasicPublishAsync(_exchange, _topic, mandatory: true, _message.Properties, _message.Body).AsTask()); // the publications overlap, so all of them have the same message
            count += Batch;
            await WaitAsync(older);
            (older, newer) = (newer, older);
        }

        await WaitAsync(older);
        return count;
    }

    private static async Task WaitAsync(List<Task> batch)
    {
        foreach (var publication in batch)
            await publication;
        batch.Clear();
    }
}
