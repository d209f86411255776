namespace Reloaded.Messaging.Hosting;

/// <summary>The groups of a peer. The peer leaves them when its connection ends. Thread-safe.</summary>
internal sealed class GroupMemberships(Peer peer)
{
    private readonly HashSet<PeerGroup> _groups = [];

    /// <remarks>Lock order: first the lock of the peer, then the lock of the group.</remarks>
    /// <param name="group">The group.</param>
    /// <param name="isOpen"><see langword="false"/> for a peer that joins before its handshake is complete.</param>
    public bool Join(PeerGroup group, bool isOpen = true)
    {
        lock (_groups)
        {
            if ((isOpen && !peer.Connection.AcceptsMessages) || peer.Disconnected is not null || !group.Add(peer)) // a peer ends before it leaves its groups, so a later call detects the end
                return false;
            _groups.Add(group);
            return true;
        }
    }

    public bool Leave(PeerGroup group)
    {
        lock (_groups)
            return _groups.Remove(group) && group.Remove(peer);
    }

    public void LeaveAll()
    {
        lock (_groups)
        {
            foreach (var group in _groups)
                group.Remove(peer);
            _groups.Clear();
        }
    }
}
