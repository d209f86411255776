using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Requests;

/// <summary>Replies to requests with the client library alone: publishes the body to the queue that the request names, and acknowledges the request.</summary>
public sealed class BareResponder(IChannel channel) : AsyncDefaultBasicConsumer(channel)
{
    public override async Task HandleBasicDeliverAsync(
        string consumerTag,
        ulong deliveryTag,
        bool redelivered,
        string exchange,
        string routingKey,
        IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body,
        CancellationToken cancellationToken = default)
    {
        await Channel.BasicPublishAsync("", properties.ReplyTo!, mandatory: false, new BasicProperties { CorrelationId = properties.CorrelationId }, body, cancellationToken);
        await Channel.BasicAckAsync(deliveryTag, multiple: false, cancellationToken);
    }
}
