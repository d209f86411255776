using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Tasks that complete when a host raises an event, and lists of the events.</summary>
internal static class HostSignals
{
    /// <summary>The reason for which the next peer disconnects.</summary>
    public static Task<DisconnectReason> Disconnection(this MessageHost host)
    {
        var signal = Signal.New<DisconnectReason>();
        host.PeerDisconnected += (_, reason) => signal.TrySetResult(reason);
        return signal.Task;
    }

    /// <summary>The next peer that completes the handshake, or a connected peer.</summary>
    public static Task<Peer> Connection(this MessageHost host)
    {
        var signal = Signal.New<Peer>();
        host.PeerConnected += peer => signal.TrySetResult(peer);
        foreach (var peer in host.Peers)
            signal.TrySetResult(peer);
        return signal.Task;
    }

    /// <summary>The connections and disconnections of a host, in order. The list grows while the host runs.</summary>
    public static List<string> Diary(this MessageHost host)
    {
        var diary = new List<string>();
        host.PeerConnected += peer => Write($"{peer.Id} connected");
        host.PeerDisconnected += (peer, reason) => Write($"{peer.Id} {reason}");
        return diary;

        void Write(string line)
        {
            lock (diary)
                diary.Add(line);
        }
    }
}
