using System;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The origin, kind and correlation id of a received message.</summary>
/// <param name="Inbox">The inbox of the host that received the message.</param>
/// <param name="From">The origin.</param>
/// <param name="Kind">The kind: an event or a request.</param>
/// <param name="CorrelationId">The number of a request, which its reply contains.</param>
internal readonly record struct Incoming(Inbox Inbox, Origin From, MessageKind Kind, uint CorrelationId) : IMessageContext<Origin>
{
    bool IMessageContext.IsStopping => Inbox.IsDisposed;

    string? IMessageContext.NameOf(uint type) => null;

    void IMessageContext.Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType) =>
        Inbox.Replies.Reply(contract, in reply, requestType, in this);

    void IMessageContext.SendFault(uint type, int code, string text) => Inbox.Replies.SendFault(type, in this, code, text);

    void IMessageContext.ReportFailure(uint type, Exception exception)
    {
        HandlerScope.Leave(); // messages that a listener publishes do not belong to the handler
        Inbox.Reports.ReportFailure(From, type, exception);
    }

    CancellationTokenSource? IMessageContext.BeginRequest() => null;

    void IMessageContext.EndRequest(CancellationTokenSource request)
    {
        // The request was not registered as running.
    }
}

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
            queues.Reports.Count(RabbitCounter.DroppedReplies);
    }
}
