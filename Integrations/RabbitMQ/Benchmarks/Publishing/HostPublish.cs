using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Publishing;

/// <summary>Publishes with a host.</summary>
public sealed class HostPublish(RabbitHost host, string topic)
{
    private long _number;

    /// <summary>Publishes for a given time, until the broker has received all messages.</summary>
    /// <returns>The number of messages per second.</returns>
    public async Task<double> RunAsync(TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        long sent = 0;
        for (; watch.Elapsed < time; sent += 100)
            await PublishAsync(100);
        await host.FlushAsync(); // requests have another channel and do not wait behind events
        await host.RequestAsync<HandledQuery, HandledReport>(host.Id, default, TimeSpan.FromSeconds(30)); // this request follows all messages on the same connection
        return sent / watch.Elapsed.TotalSeconds;
    }

    public async Task PublishAsync(int count)
    {
        for (var i = 0; i < count; i++)
            await host.PublishAsync(topic, new OneWayMessage(++_number, 2, 3));
    }

    public Task FlushAsync() => host.FlushAsync();
}
