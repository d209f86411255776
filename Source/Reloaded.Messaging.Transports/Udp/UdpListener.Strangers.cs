using System;
using System.Buffers.Binary;
using System.Net;
using System.Threading;

namespace Reloaded.Messaging;

/// <content>From a stranger's hello to a connection that the host has.</content>
internal sealed partial class UdpListener
{
    private void Answer(ReadOnlySpan<byte> random, SocketAddress from)
    {
        if (!_hellos.TryTake(UdpSocket.SourceOf(from)))
        {
            Counts.CountDropped(DatagramDropReason.TooManyHellos);
            return;
        }

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
            Counts.CountDropped(DatagramDropReason.WrongCookie);
        else if (_sessions.TryGetValue(id, out var known))
            Send(known.Accept, from); // the first answer was lost
        else if (!_offers.TryTake(UdpSocket.SourceOf(from)))
            Counts.CountDropped(DatagramDropReason.TooManyStrangers);
        else if (Judge(datagram.Slice(DatagramFormat.ConnectSize), from) is { } refused)
            Refuse(refused, random, from);
        else if (_isDisposed || !_cookies.HasRoom(cookie[0]))
            Counts.CountDropped(DatagramDropReason.TooManyStrangers);
        else if (!_cookies.TrySpend(cookie[0], id))
            Counts.CountDropped(DatagramDropReason.SpentCookie);
        else
            Make(id, random, datagram.Slice(DatagramFormat.ConnectSize), from);
    }

    /// <summary>Looks at an offer without making a key. The sender's address is proven by its cookie.</summary>
    /// <returns>Why the offer is refused, or <see langword="null"/> if it is not.</returns>
    private DatagramDropReason? Judge(ReadOnlySpan<byte> offer, SocketAddress from)
    {
        if (_context.Protection is not { } protection)
            return offer.IsEmpty ? null : DatagramDropReason.WrongProtection;
        if (!KeyExchange.IsOffer(offer, protection, isDatagrams: true))
            return DatagramDropReason.WrongProtection;
        var group = _groupOf(UdpSocket.EndPointOf(from));
        if (_context.Lockout.IsLockedOut(group))
            return DatagramDropReason.LockedOut;
        if (KeyExchange.HasValidPoint(offer, protection))
            return null;
        _context.Lockout.NoteFailure(group);
        return DatagramDropReason.InvalidOffer;
    }

    private void Make(ulong id, ReadOnlySpan<byte> random, ReadOnlySpan<byte> offer, SocketAddress from)
    {
        SessionKeys? keys = null;
        byte[] answer = [];
        if (_context.Protection is { } protection)
        {
            using var exchange = new KeyExchange(protection, _secret, isDatagrams: true);
            keys = exchange.TryAnswer(offer, out answer) ?? throw new InvalidOperationException("An offer that was judged good got no answer.");
        }

        Span<byte> start = stackalloc byte[DatagramFormat.AcceptHeader];
        start[0] = DatagramFormat.Accept;
        random.CopyTo(start.Slice(1));
        BinaryPrimitives.WriteUInt64LittleEndian(start.Slice(1 + DatagramFormat.RandomSize), id);
        var remote = UdpSocket.EndPointOf(from);
        var group = _groupOf(remote);
        var session = new UdpSession(this, id, UdpSocket.Copy(from), group ?? remote.ToString()!, [.. start, .. answer], _time.GetTimestamp());
        session.Channel = new UdpChannel(session, id, keys, _options, Counts, $"udp://{remote}", _time) { Identity = group };
        _sessions[id] = session;
        if (_unauthenticated.Add(session) is { } oldest && oldest.TryAccept()) // so that nothing else ends it or hands it to the host
        {
            Counts.CountDropped(DatagramDropReason.TooManyStrangers);
            oldest.Channel.Abort();
        }

        if (_isDisposed)
        {
            session.Channel.Abort(); // whoever disposed may have looked before
            return;
        }

        if (keys is null)
            TryAccept(session);
        Send(session.Accept, from);
    }

    private void TryAccept(UdpSession session)
    {
        if (!session.TryAccept()) // first: the host may end it at once
            return;
        if (_accepted.Writer.TryWrite(session.Channel))
        {
            _unauthenticated.Remove(session);
            return;
        }

        session.Unaccept();
        if (_isDisposed)
        {
            session.Channel.Abort(); // whoever disposed took it for the host's
        }
        else if (!_unauthenticated.Contains(session) && session.TryAccept())
        {
            Counts.CountDropped(DatagramDropReason.TooManyStrangers); // it was removed for a newer one while it was tried here
            session.Channel.Abort();
        }
    }

    /// <summary>Counts an offer that is refused, and tells its sender why. No client of this library sends an invalid point, so its sender is told nothing.</summary>
    private void Refuse(DatagramDropReason reason, ReadOnlySpan<byte> random, SocketAddress to)
    {
        Counts.CountDropped(reason);
        if (reason == DatagramDropReason.InvalidOffer)
            return;
        Span<byte> refusal = stackalloc byte[DatagramFormat.RefuseSize + 1];
        refusal[0] = DatagramFormat.Refuse;
        random.CopyTo(refusal.Slice(1));
        refusal[DatagramFormat.RefuseSize] = DatagramFormat.LockedOut;
        Send(reason == DatagramDropReason.LockedOut ? refusal : refusal.Slice(0, DatagramFormat.RefuseSize), to);
    }

    /// <summary>A client says that this side's proof was wrong. Anyone on the path could have said that, so the client may still show that it knows the secret.</summary>
    private void Refused(ulong id, SocketAddress from)
    {
        if (!_sessions.TryGetValue(id, out var session) || session.IsAccepted || !UdpSocket.AreSame(session.Address, from))
            Counts.CountDropped(DatagramDropReason.UnknownConnection);
        else
            session.Refuse(_time.GetTimestamp());
    }

    /// <summary>Ends the connections that were refused by their clients, or were not confirmed in time. The host takes them, and so counts them.</summary>
    private void Sweep()
    {
        try
        {
            foreach (var session in _unauthenticated.Copy())
            {
                if (session.RefusedSince is { } refused && _time.GetElapsedTime(refused) > UdpHandshake.RefusalGrace)
                    End(session, TransportCloseReason.WrongProtection, "It knows another secret.");
                else if (_time.GetElapsedTime(session.Since) > _context.HandshakeTimeout)
                    End(session, TransportCloseReason.HandshakeTimeout, "It never showed that it knows the secret.");
            }
        }
        catch (Exception e)
        {
            Counts.CountFailure(e); // on a timer's thread, where it would end the process
        }
    }

    private void End(UdpSession session, TransportCloseReason reason, string message)
    {
        session.Channel.Fail(reason, message);
        TryAccept(session);
    }
}
