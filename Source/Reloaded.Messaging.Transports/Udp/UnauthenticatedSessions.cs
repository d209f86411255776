using System;
using System.Collections.Generic;

namespace Reloaded.Messaging;

/// <summary>The connections that the host does not have yet, oldest first. Their number is bounded, for each source and in all. Thread-safe.</summary>
internal sealed class UnauthenticatedSessions(TransportContext limits)
{
    private readonly LinkedList<UdpSession> _sessions = []; // also the lock
    private readonly Dictionary<string, int> _counts = [];

    /// <summary>Adds a connection. If its source has too many, removes the oldest one of the source. If there are too many in all, removes the oldest one of the source that has the most.</summary>
    /// <returns>The connection that was removed to make room, for the caller to end, or <see langword="null"/> if there was room.</returns>
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

    /// <summary>Removes a connection. Does nothing if it was removed already.</summary>
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

    /// <summary>Returns whether a connection is one of them.</summary>
    public bool Contains(UdpSession session)
    {
        lock (_sessions)
            return session.Place is not null;
    }

    /// <summary>Returns the connections as of now. Allocates only if there are any.</summary>
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
