using System.Collections.Generic;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>The exchanges and queues of the client library alone. Their durability and their arguments are those that a host declares for a group.</summary>
public static class BareTopology
{
    /// <summary>The exchange of events.</summary>
    public const string Exchange = "bare.at-least-once";

    private const string DeadExchange = "bare.dead";

    /// <summary>Declares the exchanges, and the queues for a topic.</summary>
    /// <returns>The name of the queue.</returns>
    public static async Task<string> DeclareAsync(IChannel channel, string topic)
    {
        var (queue, dead) = ($"bare.kept.{topic}", $"bare.dead.{topic}");
        await channel.ExchangeDeclareAsync(Exchange, ExchangeType.Topic, durable: true, autoDelete: false);
        await channel.ExchangeDeclareAsync(DeadExchange, ExchangeType.Direct, durable: true, autoDelete: false);
        await channel.QueueDeclareAsync(dead, durable: true, exclusive: false, autoDelete: false, Bounded("drop-head"));
        await channel.QueueBindAsync(dead, DeadExchange, queue);

        var arguments = Bounded("reject-publish");
        arguments["x-delivery-limit"] = 5;
        arguments["x-dead-letter-exchange"] = DeadExchange;
        arguments["x-dead-letter-routing-key"] = queue;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, arguments);
        await channel.QueueBindAsync(queue, Exchange, topic);
        return queue;
    }

    private static Dictionary<string, object?> Bounded(string whenFull) => new()
    {
        ["x-queue-type"] = "quorum",
        ["x-max-length"] = 100_000,
        ["x-overflow"] = whenFull,
    };
}
