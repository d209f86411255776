using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The publications of one channel that are sent but not confirmed, by the number that the broker uses. Used under the lock of the queue.</summary>
/// <param name="channel">The number of the channel in its queue, from 1.</param>
internal sealed class UnconfirmedFlights(long channel)
{
    /// <summary>
    /// The maximum distance between the oldest unconfirmed publication and the newest one. A channel of the broker that waits for a queue still reads
    /// 200 messages, and then the broker stops reading from the whole connection (seen with RabbitMQ 3.10 and 4.0). So all that follows a publication is read.
    /// </summary>
    public const int Window = 200;

    private readonly Dictionary<ulong, Flight> _flights = [];
    private TopicState? _introduced; // by its first message, to which the broker has not replied
    private ulong _last;
    private ulong _oldest = 1;

    public long Channel => channel;

    /// <summary>The number of publications.</summary>
    public int Count => _flights.Count;

    /// <summary>The number of messages in them.</summary>
    public int Messages { get; private set; }

    /// <summary>The publications.</summary>
    public IReadOnlyCollection<Flight> All => _flights.Values;

    /// <summary>Whether another message may be published now. While a topic is introduced, all messages wait.</summary>
    public bool AcceptsMore => _introduced is null && _last + 1 - Oldest() < Window;

    /// <summary>Lets all messages wait until the broker has replied to the first message of a topic.</summary>
    /// <remarks>
    /// Before the first message, a channel of the broker registers with the queue. If the queue has no majority, the channel does nothing else for more than a minute, and
    /// then refuses the message. A later message of the topic could be stored before the refused one is published again.
    /// </remarks>
    public void Introduce(TopicState topic) => _introduced = topic;

    /// <summary>Records that the broker has replied to a publication of a topic.</summary>
    public void NoteReply(TopicState? topic)
    {
        if (topic is null)
            return;
        topic.KnownOn = channel;
        if (_introduced == topic)
            _introduced = null;
    }

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

    /// <summary>Returns the oldest publication; <c>false</c> if every publication is confirmed.</summary>
    public bool TryGetOldest(out Flight oldest) => _flights.TryGetValue(Oldest(), out oldest);

    /// <summary>Removes every publication, the newest first.</summary>
    public IEnumerable<Flight> RemoveAll()
    {
        for (var number = _last; number > 0 && Count > 0; number--)
        {
            if (TryRemove(number, out var flight))
                yield return flight;
        }
    }

    /// <summary>Moves the bytes of every message.</summary>
    public void MoveAll(SegmentStore store)
    {
        foreach (var number in _flights.Keys)
            CollectionsMarshal.GetValueRefOrNullRef(_flights, number).Move(store);
    }

    /// <summary>Returns the number of the oldest publication; the number of the next one if every publication is confirmed.</summary>
    private ulong Oldest()
    {
        while (_oldest <= _last && !_flights.ContainsKey(_oldest))
            _oldest++;
        return _oldest;
    }
}
