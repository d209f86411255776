using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>What filters have left in a queue, oldest first: it all came before anything that is still in the ring.</summary>
/// <remarks>Written by the pump, under a lock that only closing contends for. Its memory is taken with the first message that is left.</remarks>
internal sealed class DeferredMessages<TEntry>
{
    private readonly object _gate = new();
    private TEntry[] _entries = [];
    private int _first;
    private int _count;
    private bool _isClosed;

    public int Count => Volatile.Read(ref _count);

    /// <returns>False once it is closed.</returns>
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

    /// <summary>Takes nothing more. What is in it can still be taken.</summary>
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
