using System.Globalization;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Starts the spans of sent events.</summary>
internal static class SendTrace
{
    /// <summary>Starts the span of an event to many peers.</summary>
    /// <returns>The operation; <c>null</c> without a listener.</returns>
    public static MessageOperation? TryStart(MessageHost host, MessageContract contract) =>
        MessageOperation.IsTraced ? Start(host, contract, contract.Type, null, host.Events.ObserverFailed) : null;

    /// <summary>Starts the span of an event to one peer.</summary>
    public static MessageOperation Start(Peer peer, MessageContract? contract, uint type) => Start(peer.Host, contract, type, peer.RemoteName, peer.ObserverFailed);

    private static MessageOperation Start(MessageHost host, MessageContract? contract, uint type, string? remoteName, Action<Exception> failed) =>
        MessageOperation.Start(OperationKind.Send, contract?.MessageType.Name ?? type.ToString(CultureInfo.InvariantCulture), host.EndpointTag, remoteName, failed);

    /// <summary>Returns the type of a message.</summary>
    public static uint TypeOf(MessageContract? contract, PackedMessage packed)
    {
        if (contract is not null)
            return contract.Type;
        MessageHeader.TryRead(packed.Span, out var header, out _);
        return header.Type;
    }
}
