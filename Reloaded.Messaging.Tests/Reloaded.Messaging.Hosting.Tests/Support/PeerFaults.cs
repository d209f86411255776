using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Faults of a connection that a test causes by the internal state of the host, because a program cannot cause them.</summary>
internal static class PeerFaults
{
    /// <summary>Ends the connection of a peer as if it had been lost.</summary>
    public static void Lose(this Peer peer) => peer.Connection.End(DisconnectReason.ConnectionLost);

    /// <summary>Waits until the host waits for bytes of a peer. Only this time counts as silence of the peer.</summary>
    public static Task UntilAwaitedAsync(this Peer peer) => Signal.UntilAsync(() => peer.Connection.KeepAlive.LastHeard != long.MaxValue);

    /// <summary>Makes the silence of a peer longer, while the host waits for its bytes.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="time">The additional time.</param>
    public static async Task AddSilenceAsync(this Peer peer, TimeSpan time)
    {
        await peer.UntilAwaitedAsync();
        peer.Connection.KeepAlive.LastHeard -= (long)time.TotalMilliseconds;
    }
}
