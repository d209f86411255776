using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Rabbit.Publishing;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>Receives with the client library alone. Each message is acknowledged after its handler has ended.</summary>
public sealed class BareConsumer(IChannel channel, ReceivedMessages received) : AsyncDefaultBasicConsumer(channel)
{
    public override Task HandleBasicDeliverAsync(
        string consumerTag,
        ulong deliveryTag,
        bool redelivered,
        string exchange,
        string routingKey,
        IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body,
        CancellationToken cancellationToken = default)
    {
        received.Add(BareMessage.Read(body.Span));
        return Channel.BasicAckAsync(deliveryTag, multiple: false, cancellationToken).AsTask();
    }
}
