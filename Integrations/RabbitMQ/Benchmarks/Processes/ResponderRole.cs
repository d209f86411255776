using System;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Rabbit.Requests;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>Replies to each request with its own message.</summary>
public sealed class ResponderRole(RabbitHost host, IConnection connection) : RabbitRole
{
    public static async Task<ResponderRole> ConnectAsync(ConnectionFactory factory, string name)
    {
        var host = await RabbitHost.ConnectAsync(factory, static host => host.OnRequest(static (in EchoMessage message, Origin _) => message));
        await host.AnswerAsync(name);

        var connection = await factory.CreateConnectionAsync();
        var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(BareRequests.QueueOf(name), durable: false, exclusive: false, autoDelete: true);
        await channel.BasicQosAsync(0, 256, global: false);
        await channel.BasicConsumeAsync(BareRequests.QueueOf(name), autoAck: false, new BareResponder(channel));
        return new ResponderRole(host, connection);
    }

    public override Task<long> RunAsync(string side, long number) => throw new NotSupportedException($"The role {Responder} has no commands.");

    public override async ValueTask DisposeAsync()
    {
        await host.DisposeAsync();
        await connection.DisposeAsync();
    }
}
