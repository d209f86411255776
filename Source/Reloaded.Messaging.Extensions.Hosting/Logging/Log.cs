using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The log messages of hosts. The ids of the events are stable, and are listed in <c>docs/worker-services.md</c>.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Information, "{Host} listens at {Endpoint}.")]
    public static partial void Listening(ILogger logger, string host, MessageEndpoint endpoint);

    [LoggerMessage(2, LogLevel.Information, "{Host} stopped.")]
    public static partial void Stopped(ILogger logger, string host);

    [LoggerMessage(3, LogLevel.Information, "{Host} connected to {RemoteName} (peer {PeerId}).")]
    public static partial void PeerConnected(ILogger logger, string host, string remoteName, long peerId);

    [LoggerMessage(4, LogLevel.Information, "{Host} disconnected from {RemoteName} (peer {PeerId}): {Reason}. Goodbye of the remote side: {Goodbye}.")]
    public static partial void PeerDisconnected(ILogger logger, string host, string remoteName, long peerId, DisconnectReason reason, string goodbye);

    [LoggerMessage(5, LogLevel.Warning, "{Host} refused a connection of {RemoteName}: {Reason}.")]
    public static partial void ConnectionRefused(ILogger logger, string host, string remoteName, DisconnectReason reason);

    [LoggerMessage(6, LogLevel.Warning, "{Host} and {RemoteName} (peer {PeerId}) have different contracts: {Mismatch}")]
    public static partial void ContractMismatched(ILogger logger, string host, string remoteName, long peerId, ContractMismatch mismatch);

    [LoggerMessage(7, LogLevel.Error, "{Host} failed to handle {TypeName} ({Type}) of {RemoteName} (peer {PeerId}).")]
    public static partial void HandlerFailed(ILogger logger, Exception exception, string host, string typeName, uint type, string remoteName, long peerId);

    [LoggerMessage(8, LogLevel.Warning, "{Host} lost {Messages} messages that {RemoteName} (peer {PeerId}) did not receive before it disconnected.")]
    public static partial void MessagesLost(ILogger logger, string host, int messages, string remoteName, long peerId);

    [LoggerMessage(13, LogLevel.Warning, "{Host} did not handle {Messages} messages that it had received from {RemoteName} (peer {PeerId}), because it ended the connection.")]
    public static partial void MessagesUnhandled(ILogger logger, string host, int messages, string remoteName, long peerId);

    [LoggerMessage(9, LogLevel.Warning, "{Host} was not pumped for {Waited}, and {Messages} messages wait. Call Pump regularly.")]
    public static partial void PumpStalled(ILogger logger, string host, TimeSpan waited, int messages);

    [LoggerMessage(10, LogLevel.Warning, "{Host} dropped a datagram, because its handling failed.")]
    public static partial void DatagramFailed(ILogger logger, Exception exception, string host);

    [LoggerMessage(11, LogLevel.Warning, "{Host} is not connected and makes attempt {Number} at {Endpoint}. {Failure}")]
    public static partial void Connecting(ILogger logger, string host, int number, MessageEndpoint endpoint, string failure);

    [LoggerMessage(12, LogLevel.Error, "{Host} has no connection to {Endpoint} and makes no further attempt.")]
    public static partial void GaveUp(ILogger logger, Exception exception, string host, MessageEndpoint endpoint);
}
