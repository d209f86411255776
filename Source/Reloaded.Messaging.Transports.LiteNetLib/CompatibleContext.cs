using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The origin of a received message. Each message is an event, so nothing is replied.</summary>
internal readonly record struct CompatibleContext(CompatiblePeer From) : IMessageContext<CompatiblePeer>
{
    public MessageKind Kind => MessageKind.Event;

    public bool IsStopping => From.IsStopping;

    public string? NameOf(uint type) => null;

    public void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType)
    {
    }

    public void SendFault(uint type, int code, string text)
    {
    }

    public void ReportFailure(uint type, Exception exception) => From.ReportFailure(type, exception);

    public CancellationTokenSource? BeginRequest() => null;

    public void EndRequest(CancellationTokenSource request)
    {
    }
}
