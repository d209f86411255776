using System;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A received message's origin, kind and correlation id.</summary>
/// <param name="Host">The host that received the message.</param>
/// <param name="From">The origin.</param>
/// <param name="Kind">An event or a request.</param>
/// <param name="CorrelationId">The number that the reply to a request carries.</param>
internal readonly record struct Incoming(RabbitHost Host, Origin From, MessageKind Kind, uint CorrelationId) : IMessageContext<Origin>
{
    bool IMessageContext.IsStopping => Host.IsDisposed;

    void IMessageContext.Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType) =>
        Host.Reply(contract, in reply, requestType, in this);

    void IMessageContext.SendFault(uint type, FaultCode code, string text) => Host.SendFault(type, in this, code, text);

    void IMessageContext.ReportFailure(uint type, Exception exception)
    {
        HandlerScope.Leave(); // what a listener publishes is not the handler's
        Host.ReportFailure(From, type, exception);
    }

    CancellationTokenSource? IMessageContext.BeginRequest() => null;

    void IMessageContext.EndRequest(CancellationTokenSource request)
    {
        // No request was begun.
    }
}
