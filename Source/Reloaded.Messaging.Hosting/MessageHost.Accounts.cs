using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>What happened: every failure has a counter, and handlers' exceptions one event.</content>
public abstract partial class MessageHost
{
    private readonly ConcurrentDictionary<long, Peer> _connected = new();
    private long _handlerFailures;

    /// <summary>How many peers are gone for a reason, strangers that were refused included.</summary>
    public long GetCount(DisconnectReason reason) => Counters.GetDisconnects(reason);

    /// <summary>How many messages got a status in dispatch, since the host was made. Handled ones are not counted.</summary>
    public long GetCount(DispatchStatus status) => Dispatcher.GetCount(status);

    /// <summary>How many datagrams, or messages in them, were not handed up for a reason. 0 for other transports.</summary>
    public long GetCount(DatagramDropReason reason) => Datagrams.GetDropped(reason);

    /// <summary>The number of messages that sends to the host's peers did not take, by status. 0 for <see cref="SendStatus.Sent"/>, which is not counted.</summary>
    /// <remarks>Events, broadcasts (once for each peer that did not get the message), requests and replies. A <c>SendAsync</c> that waits for room is not counted as <see cref="SendStatus.Full"/>. A request that is sent again later is counted once, by its end.</remarks>
    public long GetCount(SendStatus status) => Counters.Sends.Get(status);

    /// <summary>The counts so far.</summary>
    public HostStatistics GetStatistics() => new(
        _peers.Count,
        Volatile.Read(ref _handlerFailures),
        RequestCounters.Timeouts,
        RequestCounters.LateReplies,
        RequestCounters.FaultsSent,
        Counters.Malformed,
        Counters.UnknownControls,
        Handlers.Misdirected,
        Counters.FailedAccepts,
        Counters.LostFrames,
        Counters.OverMessageRate,
        Counters.OverByteRate,
        Counters.Sends.Get(SendStatus.Full),
        Counters.Sends.Get(SendStatus.Closed),
        Counters.Sends.Get(SendStatus.TooLarge),
        Counters.Sends.Get(SendStatus.ContractMismatch),
        Resources.PendingTotal.Taken,
        _pumpWatch?.Stalls ?? 0);

    /// <summary>The counters of datagrams.</summary>
    internal DatagramCounters Datagrams { get; }

    internal void ReportFailure(Peer peer, uint type, Exception exception)
    {
        Interlocked.Increment(ref _handlerFailures);
        try
        {
            HandlerFailed?.Invoke(new HandlerFailure(peer, type, exception));
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _handlerFailures); // whoever listens to failures failed: there is nobody left to tell
        }
    }

    private void ReportDatagramFailure(Exception exception)
    {
        try
        {
            DatagramFailed?.Invoke(exception);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _handlerFailures); // the exception itself is counted already
        }
    }

    internal void ReportMismatch(Peer peer, ContractMismatch mismatch) => Raise(peer, () => ContractMismatched?.Invoke(peer, mismatch));

    /// <param name="peer">The peer that is gone.</param>
    /// <param name="reason">Why.</param>
    /// <param name="isAside">Whether to tell of it on the thread pool, so that a listener that waits keeps nothing else from its time.</param>
    internal void Forget(Peer peer, DisconnectReason reason, bool isAside)
    {
        Counters.CountDisconnect(reason); // first: who sees that it is gone finds it counted
        _peers.TryRemove(peer.Id, out _);
        _connected.TryRemove(peer.Id, out _);
        NoteEnd(peer);
        peer.Groups.LeaveAll();
        Counters.CountLostFrames(peer.Connection.Outbox.LostFrames);
        if (Interlocked.Exchange(ref peer.Announcement, PeerAnnouncement.Ended) != PeerAnnouncement.Made)
            return;
        _connected.TryRemove(peer.Id, out _); // again: it may have been announced meanwhile
        if (isAside)
            _ = Task.Run(() => Raise(peer, () => PeerDisconnected?.Invoke(peer, reason)));
        else
            Raise(peer, () => PeerDisconnected?.Invoke(peer, reason));
    }

    /// <summary>Ends the peer with the most bytes that wait to be sent, so that others get answers.</summary>
    /// <param name="than">It has more than so many.</param>
    /// <returns><c>false</c> if there is no such peer.</returns>
    internal bool EndLargestBacklog(int than)
    {
        Peer? largest = null;
        foreach (var (_, peer) in _peers)
        {
            if (peer.Connection.Outbox.ChargedBytes is var bytes && bytes > than)
                (largest, than) = (peer, bytes);
        }

        largest?.Connection.EndAside(DisconnectReason.NotReading);
        return largest is not null;
    }

    /// <summary>Registers and opens an authenticated peer, and raises its events: that it connected and, if it ended meanwhile, that it is gone.</summary>
    private void Announce(Peer peer)
    {
        peer.Connection.Outbox.Cork(); // what listeners send to it leaves with the end of the handshake
        try
        {
            Introduce(peer);
        }
        finally
        {
            peer.Connection.Outbox.Uncork();
        }
    }

    private void Introduce(Peer peer)
    {
        Connect(peer);
        if (Interlocked.CompareExchange(ref peer.Announcement, PeerAnnouncement.Begun, PeerAnnouncement.None) != PeerAnnouncement.None)
        {
            _connected.TryRemove(peer.Id, out _);
            return;
        }

        Raise(peer, () => PeerConnected?.Invoke(peer));
        if (Interlocked.CompareExchange(ref peer.Announcement, PeerAnnouncement.Made, PeerAnnouncement.Begun) == PeerAnnouncement.Begun)
            return;
        _connected.TryRemove(peer.Id, out _);
        Raise(peer, () => PeerDisconnected?.Invoke(peer, peer.Disconnected ?? DisconnectReason.ConnectionLost));
    }

    /// <summary>A listener that throws is treated as a handler that does.</summary>
    private protected void Raise(Peer peer, Action raise)
    {
        try
        {
            raise();
        }
        catch (Exception e)
        {
            ReportFailure(peer, 0, e);
        }
    }
}
