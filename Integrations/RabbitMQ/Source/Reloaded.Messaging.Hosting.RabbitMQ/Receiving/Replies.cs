using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Sends the replies and faults of a host.</summary>
internal sealed class Replies(PublishQueues queues, MessageWriter writer)
{
    /// <summary>The time after which the broker may drop a reply.</summary>
    private readonly string _expiration = RequestSender.ExpirationOf(queues.Options.RequestTimeout);

    public void Reply<T>(MessageContract<T> contract, in T reply, uint requestType, in Incoming incoming)
    {
        PackedMessage packed;
        try
        {
            packed = writer.Pack(contract, in reply, MessageKind.Reply, incoming.CorrelationId);
        }
        catch (Exception e)
        {
            if (reply is null)
                e = new InvalidOperationException($"The handler of requests of type {requestType} returned null. Return a reply, or throw a {nameof(RequestFaultException)}.", e);
            var context = incoming;
            HandlerInvoker.FailReply(contract, requestType, ref context, e);
            return;
        }

        using (packed)
            Answer(packed.Span, in incoming, contract.IsSecret);
    }

    public void SendFault(uint type, in Incoming incoming, int code, string text)
    {
        queues.Reports.Requests.CountFaultSent();
        var header = new MessageHeader(type, MessageKind.Fault, incoming.CorrelationId);
        using var packed = writer.PackRaw(header, Fault.Write(code, text, queues.Options.MessageLimits.MaxMessageSize));
        Answer(packed.Span, in incoming, isSecret: false);
    }

    private void Answer(ReadOnlySpan<byte> message, in Incoming incoming, bool isSecret)
    {
        var sender = incoming.From.Sender;
        if (!AmqpName.IsKey(sender) || queues.Direct.TryAdd(message, sender, OutgoingKind.Answer, isSecret, _expiration) != SendStatus.Sent)
            queues.Reports.Count(RabbitCounter.Dropped);
    }
}
