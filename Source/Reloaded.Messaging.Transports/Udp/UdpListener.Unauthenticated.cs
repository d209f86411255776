using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;

namespace Reloaded.Messaging;

/// <content>Handles unauthenticated clients: from the hello to the connection that the host accepts.</content>
internal sealed partial class UdpListener
{
    private void Answer(ReadOnlySpan<byte> random, SocketAddress from)
    {
        if (MayAnswer(from))
            SendCookie(random, from);
        else
            Counts.CountDropped(DatagramDropReason.TooManyHellos);
    }

    /// <summary>Takes an answer from the limit of a sender that is not authenticated.</summary>
    private bool MayAnswer(SocketAddress from) => _hellos.TryTake(UdpSocket.SourceOf(from));

    private void SendCookie(ReadOnlySpan<byte> random, SocketAddress from)
    {
        Span<byte> answer = stackalloc byte[1 + DatagramFormat.RandomSize + AddressValidator.Size];
        answer[0] = DatagramFormat.Cookie;
        random.CopyTo(answer.Slice(1));
        _cookies.Make(UdpSocket.BytesOf(from), random, answer.Slice(1 + DatagramFormat.RandomSize));
        Send(answer, from);
    }

    private void Connect(ReadOnlySpan<byte> datagram, SocketAddress from)
    {
        var random = datagram.Slice(1, DatagramFormat.RandomSize);
        var cookie = datagram.Slice(1 + DatagramFormat.RandomSize, AddressValidator.Size);
        if (!_cookies.IsRight(UdpSocket.BytesOf(from), random, cookie, out var id))
        {
            Counts.CountDropped(DatagramDropReason.WrongCookie);
            if (MayAnswer(from))
                SendCookie(random, from); // the cookie has expired, or a router gave the client another port
        }
        else if (_sessions.TryGetValue(id, out var known))
        {
            if (MayAnswer(from))
                Send(known.Accept, from); // the first answer was lost
            else
                Counts.CountDropped(DatagramDropReason.TooManyHellos);
        }
        else if (FindRefusal(datagram, from) is { } refused)
        {
            Counts.CountDropped(refused);
            if (MayAnswer(from))
                Refuse(refused, random, from);
        }
        else if (_isDisposed || !_cookies.HasRoom(cookie[0]) || _exchanges?.HasRoom(UdpSocket.SourceOf(from)) == false || !_offers.TryTake(UdpSocket.SourceOf(from)))
        {
            Counts.CountDropped(DatagramDropReason.TooManyUnauthenticated);
        }
        else if (!_cookies.TrySpend(cookie[0], id))
        {
            Counts.CountDropped(DatagramDropReason.SpentCookie);
        }
        else if (_exchanges is null)
        {
            Make(id, random, datagram.Slice(DatagramFormat.ConnectSize), from);
        }
        else if (!_exchanges.TryAdd(new KeyOffer(id, random.ToArray(), datagram.Slice(DatagramFormat.ConnectSize).ToArray(), UdpSocket.Copy(from))))
        {
            Counts.CountDropped(DatagramDropReason.TooManyUnauthenticated);
        }
    }

    /// <summary>Answers an offer on the thread pool.</summary>
    private void Exchange(KeyOffer offer)
    {
        if (_isDisposed)
            Counts.CountDropped(DatagramDropReason.TooManyUnauthenticated);
        else
            Make(offer.Id, offer.Random, offer.Offer, offer.From);
    }

    /// <summary>Checks an offer by its MAC. The cookie has already verified the address of the sender.</summary>
    /// <returns>The reason to refuse the offer, or <see langword="null"/> to accept it.</returns>
    private DatagramDropReason? FindRefusal(ReadOnlySpan<byte> datagram, SocketAddress from)
    {
        var offer = datagram.Slice(DatagramFormat.ConnectSize);
        if (_exchange is null)
            return offer.IsEmpty ? null : DatagramDropReason.WrongProtection;
        if (!_exchange.IsOffer(offer))
            return DatagramDropReason.WrongProtection;
        var group = _groupOf(UdpSocket.EndPointOf(from));
        if (_context.Lockout.IsLockedOut(group))
            return DatagramDropReason.LockedOut;
        if (_exchange.HasValidMac(datagram.Slice(1, DatagramFormat.ConnectSize - 1), offer))
            return null;
        _context.Lockout.NoteFailure(group);
        return DatagramDropReason.WrongProtection;
    }

    private void Make(ulong id, ReadOnlySpan<byte> random, ReadOnlySpan<byte> offer, SocketAddress from)
    {
        SessionKeys? keys = null;
        byte[] answer = [];
        if (_exchange is not null && (keys = KeyExchange.TryAnswer(_exchange, offer, out answer)) is null)
        {
            Counts.CountDropped(DatagramDropReason.InvalidOffer);
            _context.Lockout.NoteFailure(_groupOf(UdpSocket.EndPointOf(from)));
            return;
        }

        Span<byte> start = stackalloc byte[DatagramFormat.AcceptHeader];
        start[0] = DatagramFormat.Accept;
        random.CopyTo(start.Slice(1));
        BinaryPrimitives.WriteUInt64LittleEndian(start.Slice(1 + DatagramFormat.RandomSize), id);
        var remote = UdpSocket.EndPointOf(from);
        var group = _groupOf(remote);
        var session = new UdpSession(this, id, UdpSocket.Copy(from), group ?? remote.ToString()!, [.. start, .. answer], _time.GetTimestamp());
        session.Channel = new UdpChannel(session, id, keys, _options, Counts, $"udp://{remote}", _time) { Identity = group, Total = _held };
        _sessions[id] = session;
        if (_unauthenticated.Add(session) is { } oldest && oldest.TryAccept()) // TryAccept ensures that no other code ends the session or passes it to the host
        {
            Counts.CountDropped(DatagramDropReason.TooManyUnauthenticated);
            oldest.Channel.Abort();
        }

        if (_isDisposed)
        {
            session.Channel.Abort(); // Dispose may have enumerated the sessions before this one was added
            return;
        }

        if (keys is null)
            TryAccept(session);
        Send(session.Accept, from);
    }

    private void TryAccept(UdpSession session)
    {
        if (!session.TryAccept()) // first, because the host may end the channel at once
            return;
        if (_accepted.Writer.TryWrite(session.Channel))
        {
            _unauthenticated.Remove(session);
            return;
        }

        session.RevokeAcceptance();
        if (_isDisposed)
        {
            session.Channel.Abort(); // Dispose skipped the session, because it was marked as accepted
        }
        else if (!_unauthenticated.Contains(session) && session.TryAccept())
        {
            Counts.CountDropped(DatagramDropReason.TooManyUnauthenticated); // a newer session evicted it during this attempt
            session.Channel.Abort();
        }
    }

    /// <summary>Sends the reason of a refusal to the client.</summary>
    private void Refuse(DatagramDropReason reason, ReadOnlySpan<byte> random, SocketAddress to)
    {
        Span<byte> refusal = stackalloc byte[DatagramFormat.RefuseSize + 1];
        refusal[0] = DatagramFormat.Refuse;
        random.CopyTo(refusal.Slice(1));
        refusal[DatagramFormat.RefuseSize] = DatagramFormat.LockedOut;
        Send(reason == DatagramDropReason.LockedOut ? refusal : refusal.Slice(0, DatagramFormat.RefuseSize), to);
    }

    /// <summary>Ends the connections that were not confirmed in time. They are passed to the host, which counts them.</summary>
    private void Sweep()
    {
        try
        {
            foreach (var session in _unauthenticated.Copy())
            {
                if (_time.GetElapsedTime(session.Since) > _context.HandshakeTimeout)
                    End(session, TransportCloseReason.HandshakeTimeout, "The client did not prove in time that it has the keys of the connection.");
            }
        }
        catch (Exception e)
        {
            Counts.CountFailure(e); // an exception on a timer thread would end the process
        }
    }

    private void End(UdpSession session, TransportCloseReason reason, string message)
    {
        session.Channel.Fail(reason, message);
        TryAccept(session);
    }
}

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
        Debug.Assert(Monitor.IsEntered(_sessions));
        foreach (var session in _sessions)
        {
            if (session.Source == source)
                return session;
        }

        return null;
    }

    private UdpSession? FindOldestOfLargest()
    {
        Debug.Assert(Monitor.IsEntered(_sessions));
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
