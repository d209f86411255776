using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Tool;

/// <summary>Puts the segments of one direction of a TCP connection in order, without repeated bytes.</summary>
internal sealed class TcpDirection
{
    private const int MaxWaiting = 256;

    private readonly List<(uint Sequence, ReadOnlyMemory<byte> Payload)> _waiting = [];
    private uint _next;
    private bool _isStarted;

    /// <summary>Adds a segment, and calls back for each run of bytes that is next.</summary>
    /// <returns><c>false</c> if a segment before this one is missing in the capture; otherwise, <c>true</c>.</returns>
    public bool TryAdd(Segment segment, Action<ReadOnlyMemory<byte>> received)
    {
        var sequence = segment.Sequence + (segment.IsStart ? 1u : 0);
        if (!_isStarted || segment.IsStart)
            (_isStarted, _next) = (true, sequence);
        if (segment.Payload.IsEmpty)
            return true;
        _waiting.Add((sequence, segment.Payload));
        for (var i = 0; i < _waiting.Count;)
        {
            var (start, payload) = _waiting[i];
            var known = (int)(_next - start);
            if (known < 0)
            {
                i++; // a segment before this one has not arrived
                continue;
            }

            _waiting.RemoveAt(i);
            i = 0;
            if (known >= payload.Length)
                continue;
            _next = start + (uint)payload.Length;
            received(payload.Slice(known));
        }

        return _waiting.Count <= MaxWaiting;
    }
}
