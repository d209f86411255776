using System;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The sender of a received message, and the parts of its header that a handler needs.</summary>
/// <param name="Peer">The sender.</param>
/// <param name="Kind">The kind of the message: an event or a request.</param>
/// <param name="Type">The type of the message.</param>
/// <param name="CorrelationId">The correlation id of a request, which its reply carries.</param>
/// <param name="Trace">The trace of the message; <c>null</c> if the message is not traced.</param>
internal readonly record struct MessageContext(Peer Peer, MessageKind Kind, uint Type, uint CorrelationId, HandlingTrace? Trace = null) : IMessageContext<Peer>
{
    Peer IMessageContext<Peer>.From => Peer;

    bool IMessageContext.IsStopping => !Peer.IsConnected;

    string? IMessageContext.NameOf(uint type) => Peer.Host.Contracts.Find(type)?.MessageType.Name;

    /// <inheritdoc cref="IMessageContext.Reply"/>
    public void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType)
    {
        if (Peer.Replies.TryReply(contract, in reply, CorrelationId) is not { } failure)
            return;
        var context = this;
        HandlerInvoker.FailReply(contract, requestType, ref context, failure);
    }

    /// <inheritdoc cref="IMessageContext.SendFault"/>
    public void SendFault(uint type, int code, string text)
    {
        Trace?.Note(code, text);
        Peer.Replies.SendFault(type, CorrelationId, code, text);
    }

    void IMessageContext.ReportFailure(uint type, Exception exception)
    {
        Trace?.Note(exception);
        Peer.Host.Events.ReportFailure(Peer, type, exception);
    }

    CancellationTokenSource IMessageContext.BeginRequest() => Peer.Answering.Begin(CorrelationId);

    void IMessageContext.EndRequest(CancellationTokenSource request) => Peer.Answering.End((InFlightRequests.Answer)request);
}
