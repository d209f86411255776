using System;
using System.Collections.Generic;

namespace Reloaded.Messaging;

/// <summary>The connections that were not passed to the host yet, oldest first. Their number is limited per source and in total. Thread-safe.</summary>
internal sealed class UnauthenticatedSessions(TransportContext limits)
{
    private readonly LinkedList<UdpSession> _sessions = []; // also serves as the lock
    private readonly Dictionary<string, int> _counts = [];

    /// <summary>Adds a connection. If its source has too many, removes the oldest of that source. If there are too many in total, removes the oldest of the source that has the most.</summary>
    /// <returns>The removed connection, which the caller must end, or <see langword="null"/> if no connection was removed.</returns>
    public UdpSession? Add(UdpSession session)
    {
        lock (_sessions)
        {
            _counts.TryGetValue(session.Source, out var count);
            var oldest = count >= limits.MaxUnauthenticatedPerAddress ? FindOldest(session.Source)
                : _sessions.Count >= limits.MaxUnauthenticated ? FindOldestOfLargest()
                : null;
            if (oldest is not null)
                Remove(oldest);
            _counts.TryGetValue(session.Source, out count);
            _counts[session.Source] = count + 1;
            session.Place = _sessions.AddLast(session);
            return oldest;
        }
    }

    /// <summary>Removes a connection. Does nothing if it was already removed.</summary>
    public void Remove(UdpSession session)
    {
        lock (_sessions)
        {
            if (session.Place is not { } place)
                return;
            session.Place = null;
            _sessions.Remove(place);
            if (_counts[session.Source] == 1)
                _counts.Remove(session.Source);
            else
                _counts[session.Source]--;
        }
    }

    /// <summary>Returns whether the list contains a connection.</summary>
    public bool Contains(UdpSession session)
    {
        lock (_sessions)
            return session.Place is not null;
    }

    /// <summary>Returns a copy of the list. Allocates only if the list is not empty.</summary>
    public UdpSession[] Copy()
    {
        lock (_sessions)
        {
            if (_sessions.Count == 0)
                return [];
            var sessions = new UdpSession[_sessions.Count];
            _sessions.CopyTo(sessions, 0);
            return sessions;
        }
    }

    private UdpSession? FindOldest(string source)
    {
        foreach (var session in _sessions)
        {
            if (session.Source == source)
                return session;
        }

        return null;
    }

    private UdpSession? FindOldestOfLargest()
    {
        var largest = 0;
        foreach (var (_, count) in _counts)
            largest = Math.Max(largest, count);
        foreach (var session in _sessions)
        {
            if (_counts[session.Source] == largest)
                return session;
        }

        return null;
    }
}
