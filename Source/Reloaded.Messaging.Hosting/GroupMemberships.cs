using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <summary>The groups that a peer is in, and leaves when its connection ends. Thread-safe.</summary>
internal sealed class GroupMemberships(Peer peer)
{
    private readonly List<PeerGroup> _groups = [];

    /// <remarks>Under the peer's lock, then the group's; never the other way round.</remarks>
    /// <param name="group">The group.</param>
    /// <param name="isOpen"><see langword="false"/> for a peer that joins before its handshake has ended.</param>
    public bool Join(PeerGroup group, bool isOpen = true)
    {
        lock (_groups)
        {
            if ((isOpen && !peer.Connection.AcceptsMessages) || peer.Disconnected is not null || !group.Add(peer)) // a peer ends first, and then leaves: a later call sees that
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
