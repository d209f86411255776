using System;
using System.Threading;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>The origin and the kind of a received message, and the place of its reply if it is a request.</summary>
internal readonly record struct FramedContext(FramedHost From, MessageKind Kind, uint Number) : IMessageContext<FramedHost>
{
    public bool IsStopping => From.IsStopping;

    public string? NameOf(uint type) => null;

    public void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType) => From.Reply(contract, in reply, requestType, this);

    public void SendFault(uint type, int code, string text) => From.SendFault(type, Number, code, text);

    public void ReportFailure(uint type, Exception exception) => From.ReportFailure(type, exception);

    public CancellationTokenSource? BeginRequest() => null; // the other program cannot cancel a request

    public void EndRequest(CancellationTokenSource request)
    {
    }
}
