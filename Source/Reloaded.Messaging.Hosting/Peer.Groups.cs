using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <content>The groups that it is in, and leaves when it is gone.</content>
public sealed partial class Peer
{
    private readonly List<PeerGroup> _groups = [];

    /// <remarks>Under the peer's lock, then the group's; never the other way round.</remarks>
    /// <param name="group">The group.</param>
    /// <param name="isOpen"><see langword="false"/> for a peer that joins before its handshake has ended.</param>
    internal bool Join(PeerGroup group, bool isOpen = true)
    {
        lock (_groups)
        {
            if ((isOpen && !_isAccepted) || Disconnected is not null || !group.Add(this)) // it ends first, and then leaves: whoever joins later sees that
                return false;
            _groups.Add(group);
            return true;
        }
    }

    internal bool Leave(PeerGroup group)
    {
        lock (_groups)
            return _groups.Remove(group) && group.Remove(this);
    }

    internal void LeaveGroups()
    {
        lock (_groups)
        {
            foreach (var group in _groups)
                group.Remove(this);
            _groups.Clear();
        }
    }
}
