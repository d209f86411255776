using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The messages that filters have skipped, oldest first. All of them are older than the messages in the ring.</summary>
/// <remarks>Written by the pump under a lock, for which only closing contends. Its memory is allocated with the first skipped message.</remarks>
internal sealed class DeferredMessages<TEntry>
{
    private readonly object _gate = new();
    private TEntry[] _entries = [];
    private int _first;
    private int _count;
    private bool _isClosed;

    public int Count => Volatile.Read(ref _count);

    /// <returns><c>false</c> once it is closed; otherwise, <c>true</c>.</returns>
    public bool TryAdd(in TEntry entry)
    {
        lock (_gate)
        {
            if (_isClosed)
                return false;
            if (_count == _entries.Length)
                Grow();
            _entries[(_first + _count) & (_entries.Length - 1)] = entry;
            Volatile.Write(ref _count, _count + 1);
            return true;
        }
    }

    public bool TryTake([MaybeNullWhen(false)] out TEntry entry)
    {
        lock (_gate)
        {
            if (_count == 0)
            {
                entry = default;
                return false;
            }

            entry = _entries[_first];
            _entries[_first] = default!;
            _first = (_first + 1) & (_entries.Length - 1);
            Volatile.Write(ref _count, _count - 1);
            return true;
        }
    }

    /// <summary>Refuses further messages. Its messages can still be taken.</summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
    }

    private void Grow()
    {
        var larger = new TEntry[Math.Max(16, _entries.Length * 2)];
        for (var i = 0; i < _count; i++)
            larger[i] = _entries[(_first + i) & (_entries.Length - 1)];
        (_entries, _first) = (larger, 0);
    }
}
