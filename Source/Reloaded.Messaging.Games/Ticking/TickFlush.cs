using System;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Games;

/// <summary>Holds the messages of a tick in the outboxes and writes them at the end of the tick, with one write per peer.</summary>
internal sealed class TickFlush(MessageHost host)
{
    private Peer[] _corked = [];
    private int _count;

    public void Cork()
    {
        foreach (var peer in host.AllPeers)
        {
            if (_count == _corked.Length)
                Array.Resize(ref _corked, Math.Max(16, 2 * _count));
            peer.Cork();
            _corked[_count++] = peer;
        }
    }

    /// <summary>Writes on this thread as many bytes as the channels accept at once.</summary>
    public void Uncork()
    {
        for (var i = 0; i < _count; i++)
            _corked[i].Uncork();
        Array.Clear(_corked, 0, _count);
        _count = 0;
    }
}
