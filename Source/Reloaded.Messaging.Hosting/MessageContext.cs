using System;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A received message's peer, kind and correlation id.</summary>
/// <param name="Peer">The sender.</param>
/// <param name="Kind">An event or a request.</param>
/// <param name="CorrelationId">The number that the reply to a request carries.</param>
internal readonly record struct MessageContext(Peer Peer, MessageKind Kind, uint CorrelationId) : IMessageContext<Peer>
{
    Peer IMessageContext<Peer>.From => Peer;

    bool IMessageContext.IsStopping => !Peer.IsConnected;

    void IMessageContext.Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType) =>
        Peer.Reply(contract, in reply, requestType, CorrelationId);

    void IMessageContext.SendFault(uint type, FaultCode code, string text) => Peer.SendFault(type, CorrelationId, code, text);

    void IMessageContext.ReportFailure(uint type, Exception exception) => Peer.ReportFailure(type, exception);

    CancellationTokenSource IMessageContext.BeginRequest() => Peer.BeginRequest(CorrelationId);

    void IMessageContext.EndRequest(CancellationTokenSource request) => Peer.EndRequest((InFlightRequests.Answer)request);
}
