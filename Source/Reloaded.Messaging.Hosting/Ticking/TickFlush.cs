using System;
using Reloaded.Messaging.Hosting.Groups;
using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Hosting.Ticking;

/// <summary>Keeps what is sent during a tick in the outboxes, and has it written at its end: one write for each peer.</summary>
internal sealed class TickFlush(MessageHost host)
{
    private Peer[] _held = [];
    private int _count;

    public void Hold()
    {
        foreach (var peer in host.Everyone)
        {
            if (_count == _held.Length)
                Array.Resize(ref _held, Math.Max(16, 2 * _count));
            peer.Outbox.Hold();
            _held[_count++] = peer;
        }
    }

    /// <summary>Writes on this thread as far as the channels take it at once.</summary>
    public void Release()
    {
        for (var i = 0; i < _count; i++)
            _held[i].Outbox.Release();
        Array.Clear(_held, 0, _count);
        _count = 0;
    }
}
