using System;
using System.Diagnostics;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Publishing;

/// <summary>Publishes with the client library alone, with the same bytes and properties as a host.</summary>
public sealed class BarePublish(IChannel channel, string exchange, string topic)
{
    private readonly BareMessage _message = new(DeliveryModes.Transient);
    private long _number;

    /// <summary>Publishes for a given time, until the broker has received all messages.</summary>
    /// <returns>The number of messages per second.</returns>
    public async Task<double> RunAsync(TimeSpan time)
    {
        var (watch, before) = (Stopwatch.StartNew(), _number);
        while (watch.Elapsed < time)
            await PublishAsync(100);
        await channel.ExchangeDeclarePassiveAsync(exchange); // this call follows all messages on the same channel
        return (_number - before) / watch.Elapsed.TotalSeconds;
    }

    public async Task PublishAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            _message.Number = ++_number;
            await channel.BasicPublishAsync(exchange, topic, mandatory: false, _message.Properties, _message.Body);
        }
    }
}
