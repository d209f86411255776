using System;
using System.Diagnostics;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary>The client library alone, publishing the bytes and properties that a host would.</summary>
public sealed class BarePublish(IChannel channel, string exchange, string topic, byte[] body)
{
    private readonly BasicProperties _properties = new() { AppId = "host.0123456789ABCDEF", DeliveryMode = DeliveryModes.Transient };
    private long _number;

    /// <summary>Publishes for a while, until the broker has all of it.</summary>
    /// <returns>Messages a second.</returns>
    public async Task<double> RunAsync(TimeSpan time)
    {
        var (watch, before) = (Stopwatch.StartNew(), _number);
        while (watch.Elapsed < time)
            await PublishAsync(100);
        await channel.ExchangeDeclarePassiveAsync(exchange); // behind all of them in the same channel
        return (_number - before) / watch.Elapsed.TotalSeconds;
    }

    public async Task PublishAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            _properties.Timestamp = new AmqpTimestamp(++_number);
            await channel.BasicPublishAsync(exchange, topic, mandatory: false, _properties, body);
        }
    }
}
