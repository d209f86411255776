using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Writes the events of a host to a logger. Messages are not logged, so a message costs nothing.</summary>
internal static class HostLogging
{
    /// <summary>Subscribes to the events. Called before the first connection.</summary>
    public static void LogTo(this MessageHost host, ILogger logger, string name)
    {
        host.PeerConnected += peer => Log.PeerConnected(logger, name, peer.RemoteName, peer.Id);
        host.PeerDisconnected += (peer, reason) => Log.PeerDisconnected(logger, name, peer.RemoteName, peer.Id, reason, GetGoodbye(peer));
        host.ContractMismatched += (peer, mismatch) => Log.ContractMismatched(logger, name, peer.RemoteName, peer.Id, mismatch);
        host.HandlerFailed += failure => Log.HandlerFailed(logger, failure.Exception, name, failure.TypeName ?? "a message", failure.Type, failure.Peer?.RemoteName ?? "no peer", failure.Peer?.Id ?? 0);
        host.MessagesLost += (peer, messages) => Log.MessagesLost(logger, name, messages, peer.RemoteName, peer.Id);
        host.MessagesUnhandled += (peer, messages) => Log.MessagesUnhandled(logger, name, messages, peer.RemoteName, peer.Id);
        host.PumpStalled += stall => Log.PumpStalled(logger, name, stall.Waited, stall.Messages);
        host.DatagramFailed += exception => Log.DatagramFailed(logger, exception, name);
        if (host is MessageServer server)
            server.ConnectionRefused += connection => Log.ConnectionRefused(logger, name, connection.RemoteName, connection.Reason);
    }

    private static string GetGoodbye(Peer peer) => (peer.GoodbyeReason, peer.GoodbyeText) switch
    {
        (null, _) => "none",
        ({ } reason, null or "") => reason.ToString(),
        ({ } reason, var text) => $"{reason}, \"{text}\"",
    };
}
