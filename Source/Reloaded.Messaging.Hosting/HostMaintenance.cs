using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The periodic work of a host: timeouts, pings, and disconnects. The timer of the process runs it.</summary>
/// <param name="host">The host.</param>
/// <param name="endsPeersThatDoNotRead">Whether a peer is disconnected when a write to it makes no progress.</param>
internal sealed class HostMaintenance(MessageHost host, bool endsPeersThatDoNotRead)
{
    private readonly HostResources _resources = host.Resources;
    private long _nextPing = Environment.TickCount64;

    /// <summary>Runs the work that is due. Runs no code of the program except its <see cref="MessageHostOptions.TimeProvider"/>.</summary>
    /// <remarks>An exception that one peer causes is counted and reported. The work for the other peers and the next ticks continue.</remarks>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    public void Tick(long now)
    {
        _resources.Clock.Tick(now);
        host.Pumping?.Watch.Check(_resources.Clock.Now);
        var pings = now >= _nextPing;
        if (pings)
            _nextPing = now + (long)_resources.Options.PingInterval.TotalMilliseconds;
        var longest = _resources.Options.KeepAliveTimeout.TotalMilliseconds;
        foreach (var peer in host.Registry.GetAll())
        {
            try
            {
                Tick(peer, now, longest, pings);
            }
            catch (Exception e)
            {
                Report(peer, e);
            }
        }
    }

    /// <summary>Reports a failure on the thread pool, because an event handler that blocks must not delay the timer.</summary>
    /// <remarks>A method of its own, so that the closure is allocated only here.</remarks>
    private void Report(Peer peer, Exception exception) => _ = Task.Run(() => host.Events.ReportFailure(peer, 0, exception));

    private void Tick(Peer peer, long now, double longest, bool pings)
    {
        var connection = peer.Connection;
        connection.Outbox.FlushCorked();
        peer.Requests.EndOverdue(now);
        if (endsPeersThatDoNotRead && connection.KeepAlive.IsNotReading(_resources.Clock, longest))
            connection.EndWithDeferredEvents(DisconnectReason.NotReading);
        else if (!connection.IsForeign && connection.KeepAlive.IsSilent(_resources.Clock, longest)) // a foreign peer cannot answer pings
            connection.EndWithDeferredEvents(DisconnectReason.NotResponding);
        else if ((pings || connection.KeepAlive.IsUnmeasured) && !connection.IsForeign && connection.AcceptsMessages && host.Registry.IsConnected(peer)) // a ping before the last hello would fail the handshake
            connection.Ping();
        CheckSession(peer, connection); // last, because the program's clock may throw
    }

    /// <summary>Disconnects peers that were not authenticated in time or that were idle for too long.</summary>
    private void CheckSession(Peer peer, Connection connection)
    {
        var options = _resources.Options;
        if (!connection.WasOpen)
        {
            if (connection.Login.IsOverdue(options.TimeProvider, options.Limits.HandshakeTimeout))
                connection.EndWithDeferredEvents(DisconnectReason.NotAuthenticated);
        }
        else if (options.IdleTimeout is { } longest && connection.State == ConnectionState.Open && host.Registry.IsConnected(peer) && connection.KeepAlive.LastHeard != long.MaxValue && peer.RateLimit.Idle > longest)
        {
            connection.CloseInBackground(DisconnectReason.Idle, "No event and no request arrived within IdleTimeout.");
        }
    }
}
