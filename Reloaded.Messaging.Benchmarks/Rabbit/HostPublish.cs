using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary>A host publishing.</summary>
public sealed class HostPublish(RabbitHost host, string topic)
{
    /// <summary>Publishes for a while, until the broker has all of it.</summary>
    /// <returns>Messages a second.</returns>
    public async Task<double> RunAsync(TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        long sent = 0;
        for (; watch.Elapsed < time; sent += 100)
            await PublishAsync(100);
        await host.RequestAsync<HandledQuery, HandledReport>(host.Id, default, TimeSpan.FromSeconds(30)); // behind all of them in the same channel
        return sent / watch.Elapsed.TotalSeconds;
    }

    public async Task PublishAsync(int count)
    {
        for (var i = 0; i < count; i++)
            await host.PublishAsync(topic, new OneWayMessage(1, 2, 3));
    }

    public Task FlushAsync() => host.FlushAsync();
}
