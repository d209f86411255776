using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a publication that is not yet confirmed.</summary>
internal struct Flight
{
    private Outgoing _first;
    private Outgoing[]? _all;

    public Flight(in Outgoing first) => (_first, Count) = (first, 1);

    public int Count { get; private set; }

    [UnscopedRef]
    public readonly ReadOnlySpan<Outgoing> Messages => _all is null ? new ReadOnlySpan<Outgoing>(in _first) : _all.AsSpan(0, Count);

    /// <summary>The time of the publication, in milliseconds (<see cref="Environment.TickCount64"/>).</summary>
    public long SentAt { get; } = Environment.TickCount64;

    /// <summary>Adds a message to the batch.</summary>
    public void Add(in Outgoing message)
    {
        if (_all is null)
        {
            _all = ArrayPool<Outgoing>.Shared.Rent(64);
            _all[0] = _first;
        }
        else if (_all.Length == Count)
        {
            var larger = ArrayPool<Outgoing>.Shared.Rent(Count * 2);
            _all.AsSpan(0, Count).CopyTo(larger);
            Free();
            _all = larger;
        }

        _all[Count++] = message;
    }

    /// <summary>Moves the bytes of every message.</summary>
    public void Move(SegmentStore store)
    {
        if (_all is null)
            store.Move(ref _first);
        for (var index = 0; _all is not null && index < Count; index++)
            store.Move(ref _all[index]);
    }

    /// <summary>Returns the memory of a batch.</summary>
    public readonly void Free()
    {
        if (_all is null)
            return;
        _all.AsSpan(0, Count).Clear();
        ArrayPool<Outgoing>.Shared.Return(_all);
    }
}
