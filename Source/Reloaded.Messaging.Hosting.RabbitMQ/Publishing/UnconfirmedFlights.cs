using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The publications that are sent but not confirmed, by the number that the broker uses. Used under the lock of the queue.</summary>
internal sealed class UnconfirmedFlights
{
    private readonly Dictionary<ulong, Flight> _flights = [];
    private ulong _last;
    private ulong _oldest = 1;

    /// <summary>The number of publications.</summary>
    public int Count => _flights.Count;

    /// <summary>The number of messages in them.</summary>
    public int Messages { get; private set; }

    /// <summary>Adds a publication.</summary>
    /// <returns>Its number.</returns>
    public ulong Add(in Flight flight)
    {
        Messages += flight.Count;
        _flights.Add(++_last, flight);
        return _last;
    }

    /// <summary>Removes a publication.</summary>
    public bool TryRemove(ulong number, out Flight flight)
    {
        if (!_flights.Remove(number, out flight))
            return false;
        Messages -= flight.Count;
        return true;
    }

    /// <summary>Removes the newest publication, if it is not confirmed.</summary>
    public bool TryRemoveLast(out Flight flight) => TryRemove(_last, out flight);

    /// <summary>Removes the oldest publication up to a number.</summary>
    public bool TryRemoveUpTo(ulong number, out Flight flight)
    {
        while (_oldest <= Math.Min(number, _last))
        {
            if (TryRemove(_oldest++, out flight))
                return true;
        }

        flight = default;
        return false;
    }

    /// <summary>Returns the time at which the oldest publication was sent; <c>null</c> if every publication is confirmed.</summary>
    public long? OldestSentAt()
    {
        while (_oldest <= _last)
        {
            if (_flights.TryGetValue(_oldest, out var flight))
                return flight.SentAt;
            _oldest++;
        }

        return null;
    }

    /// <summary>Removes every publication, the newest first. The numbers restart.</summary>
    public IEnumerable<Flight> RemoveAll()
    {
        for (var number = _last; number > 0 && Count > 0; number--)
        {
            if (TryRemove(number, out var flight))
                yield return flight;
        }

        Restart();
    }

    /// <summary>Restarts the numbers, for another channel. Call it only without publications.</summary>
    public void Restart() => (_last, _oldest) = (0, 1);

    /// <summary>Moves the bytes of every message.</summary>
    public void MoveAll(SegmentStore store)
    {
        foreach (var number in _flights.Keys)
            CollectionsMarshal.GetValueRefOrNullRef(_flights, number).Move(store);
    }
}

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
