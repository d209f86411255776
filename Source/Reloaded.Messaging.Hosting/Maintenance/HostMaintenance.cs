namespace Reloaded.Messaging.Hosting;

/// <summary>The periodic work of a host: timeouts, pings, and disconnects. The timer of the process runs it.</summary>
/// <remarks>
/// All peers are checked twice a second. Only the watched peers are checked at every tick: peers with corked messages, with requests, or without a ping.
/// A process with many idle peers would otherwise spend most of its time here.
/// </remarks>
/// <param name="host">The host.</param>
/// <param name="endsPeersThatDoNotRead">Whether a peer is disconnected when a write to it makes no progress.</param>
internal sealed class HostMaintenance(MessageHost host, bool endsPeersThatDoNotRead)
{
    /// <summary>The maximum time between two checks of all peers, in milliseconds.</summary>
    private const double MaxCheckInterval = 500;

    private readonly HostResources _resources = host.Resources;
    private readonly double _pingInterval = host.Resources.Options.PingInterval.TotalMilliseconds;
    private readonly double _longest = host.Resources.Options.KeepAliveTimeout.TotalMilliseconds;
    private readonly double _checkInterval = Math.Min(MaxCheckInterval, host.Resources.Options.PingInterval.TotalMilliseconds / 4); // the other limit is not shorter
    private readonly bool _hasOwnClock = host.Resources.Options.TimeProvider != TimeProvider.System;
    private double _nextCheck = Environment.TickCount64;
    private int _isCheckingSessions;

    /// <summary>Runs the work that is due. Runs no code of the program, because code that waits would stop the timer of all hosts.</summary>
    /// <remarks>An exception that one peer causes is counted and reported. The work for the other peers and the next ticks continue.</remarks>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    public void Tick(long now)
    {
        _resources.Clock.Tick(now);
        host.Inbox?.Watch.Check(_resources.Clock.Now);
        var checks = now >= _nextCheck;
        if (checks)
            _nextCheck = now + _checkInterval;
        for (Peer? next, peer = _resources.TakeWatched(); peer is not null; peer = next)
        {
            next = peer.NextWatched;
            peer.NextWatched = null;
            // Cleared before the check: a peer that begins a request meanwhile is watched again. If that is missed, the check of all peers finds the peer.
            Interlocked.Exchange(ref peer.IsWatched, 0);
            Visit(peer, now, checks: false);
            if (peer.NeedsTick(now, _pingInterval))
                _resources.Watch(peer);
        }

        if (!checks)
            return;
        foreach (var peer in host.Registry.GetAll())
            Visit(peer, now, checks: true);
        BeginCheckingSessions();
    }

    private void Visit(Peer peer, long now, bool checks)
    {
        try
        {
            peer.Connection.Outbox.FlushCorked();
            peer.Requests.EndOverdue(now);
            peer.PingIfDue(now, _pingInterval);
            if (checks)
                Check(peer.Connection);
        }
        catch (Exception e)
        {
            Report(peer, e);
        }
    }

    /// <summary>Reports a failure on the thread pool, because an event handler that blocks must not delay the timer.</summary>
    /// <remarks>Separate from <see cref="Visit"/>, which would allocate the closure for each peer.</remarks>
    private void Report(Peer peer, Exception exception) => host.Events.RaiseLater(() => host.Events.ReportFailure(peer, 0, exception));

    private void Check(Connection connection)
    {
        if (endsPeersThatDoNotRead && connection.KeepAlive.IsNotReading(_resources.Clock, _longest))
            connection.EndWithDeferredEvents(DisconnectReason.NotReading);
        else if (connection.KeepAlive.IsSilent(_resources.Clock, _longest))
            connection.EndWithDeferredEvents(DisconnectReason.NotResponding);
    }

    /// <summary>Checks the sessions. A clock of the program may block or throw, so it is read on the thread pool, by one thread at a time.</summary>
    private void BeginCheckingSessions()
    {
        if (!_hasOwnClock)
            CheckSessions();
        else if (Interlocked.Exchange(ref _isCheckingSessions, 1) == 0)
            _ = Detached.Run(CheckSessions);
    }

    private void CheckSessions()
    {
        foreach (var peer in host.Registry.GetAll())
        {
            try
            {
                CheckSession(peer, peer.Connection);
            }
            catch (Exception e)
            {
                Report(peer, e);
            }
        }

        Volatile.Write(ref _isCheckingSessions, 0);
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
        else if (options.IdleTimeout is { } longest && peer.RateLimit is { } rate && connection.State == ConnectionState.Open && host.Registry.IsConnected(peer))
        {
            if (peer.HasWork || peer.IsPumped || connection.KeepAlive.IsHandling || peer.Requests.Unanswered.Count > 0)
                rate.NoteWork();
            else if (rate.Idle > longest)
                connection.CloseInBackground(DisconnectReason.Idle, "No event and no request arrived within IdleTimeout.");
        }
    }
}
