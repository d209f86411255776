using System;
using System.Buffers.Binary;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Tests.Interop;

/// <summary>The client library without a host. The page shows these methods.</summary>
internal static class PlainClient
{
    // Publishes to the hosts that subscribe to "scores" at least once.
    public static async Task PublishScoreAsync(IChannel channel, string scope, long score)
    {
        var body = new byte[9];
        body[0] = 1; // the id of the message type
        BinaryPrimitives.WriteInt64LittleEndian(body.AsSpan(1), score);
        var properties = new BasicProperties { AppId = "plain", DeliveryMode = DeliveryModes.Persistent };
        await channel.BasicPublishAsync($"{scope}.at-least-once", "scores", mandatory: true, properties, body);
    }

    // Receives what hosts publish to "scores" at most once.
    public static async Task<string> BindScoresAsync(IChannel channel, string scope)
    {
        var queue = await channel.QueueDeclareAsync(); // exclusive, and deleted with the connection
        await channel.QueueBindAsync(queue.QueueName, $"{scope}.at-most-once", "scores");
        return queue.QueueName;
    }

    public static long? ReadScore(BasicGetResult delivery) =>
        delivery.BasicProperties.Type == "1" ? BinaryPrimitives.ReadInt64LittleEndian(delivery.Body.Span[1..]) : null;
}
