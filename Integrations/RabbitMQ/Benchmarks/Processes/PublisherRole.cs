using System;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Rabbit.Confirmed;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>Publishes at least once for a number of milliseconds, until all messages are confirmed. The result is the number of messages.</summary>
public sealed class PublisherRole(RabbitHost host, IConnection connection, IConfirmedPublisher ours, IConfirmedPublisher bare) : RabbitRole
{
    public static async Task<PublisherRole> ConnectAsync(ConnectionFactory factory, string topic)
    {
        var host = await RabbitHost.ConnectAsync(factory, options: HostConfirmed.Options);
        var connection = await factory.CreateConnectionAsync();
        return new PublisherRole(host, connection, new HostConfirmed(host, topic), await BareConfirmed.OpenAsync(connection, BareTopology.Exchange, topic));
    }

    public override Task<long> RunAsync(string side, long number) =>
        (side == Ours ? ours : bare).PublishAsync(TimeSpan.FromMilliseconds(number));

    public override async ValueTask DisposeAsync()
    {
        await host.DisposeAsync();
        await connection.DisposeAsync();
    }
}
