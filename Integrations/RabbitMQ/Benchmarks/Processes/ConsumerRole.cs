using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>Receives at least once, and waits until it has received a number of messages since its start.</summary>
public sealed class ConsumerRole(RabbitHost host, IConnection connection, ReceivedMessages ours, ReceivedMessages bare) : RabbitRole
{
    private const string Group = "figures";

    public static async Task<ConsumerRole> ConnectAsync(ConnectionFactory factory, string topic)
    {
        var (ours, bare) = (new ReceivedMessages(), new ReceivedMessages());
        var host = await RabbitHost.ConnectAsync(factory, host => host.On((in OneWayMessage message, Origin _) => ours.Add(message.A)));
        await host.SubscribeAsync(topic, DeliveryKind.AtLeastOnce, Group);

        var connection = await factory.CreateConnectionAsync();
        var channel = await connection.CreateChannelAsync();
        var queue = await BareTopology.DeclareAsync(channel, topic);
        await channel.BasicQosAsync(0, 256, global: false);
        await channel.BasicConsumeAsync(queue, autoAck: false, new BareConsumer(channel, bare));
        return new ConsumerRole(host, connection, ours, bare);
    }

    public override async Task<long> RunAsync(string side, long number)
    {
        await (side == Ours ? ours : bare).WaitAsync(number);
        return number;
    }

    public override async ValueTask DisposeAsync()
    {
        await host.DisposeAsync();
        await connection.DisposeAsync();
    }
}
