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
