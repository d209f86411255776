using System;
using System.Buffers.Binary;
using System.Net;
using System.Threading;
using Reloaded.Messaging.Hosting.Channels.Sockets;
using Reloaded.Messaging.Hosting.Protection;

namespace Reloaded.Messaging.Hosting.Channels.Udp;

/// <content>From a stranger's hello to a connection that the host has.</content>
internal sealed partial class UdpListener
{
    private void GiveCookie(ReadOnlySpan<byte> random, SocketAddress from)
    {
        Span<byte> answer = stackalloc byte[1 + DatagramFormat.RandomSize + Cookies.Size];
        answer[0] = DatagramFormat.Cookie;
        random.CopyTo(answer.Slice(1));
        _cookies.Make(UdpSocket.BytesOf(from), random, answer.Slice(1 + DatagramFormat.RandomSize));
        Send(answer, from);
    }

    private void Connect(ReadOnlySpan<byte> datagram, SocketAddress from)
    {
        var random = datagram.Slice(1, DatagramFormat.RandomSize);
        var cookie = datagram.Slice(1 + DatagramFormat.RandomSize, Cookies.Size);
        if (!_cookies.IsRight(UdpSocket.BytesOf(from), random, cookie, out var id))
        {
            Counts.Count(DatagramDrop.WrongCookie);
            return;
        }

        if (_sessions.TryGetValue(id, out var known))
        {
            Send(known.Accept, from); // the first answer was lost
            return;
        }

        var offer = datagram.Slice(DatagramFormat.ConnectSize);
        if (_options.Protection is { } protection ? !KeyExchange.IsOffer(offer, protection, isDatagrams: true) : !offer.IsEmpty)
        {
            Refuse(random, from);
            return;
        }

        if (_isDisposed || Volatile.Read(ref _unconfirmed) >= MaxWaiting || !_cookies.HasRoom(cookie[0]))
            Counts.Count(DatagramDrop.TooManyStrangers);
        else if (!_cookies.TrySpend(cookie[0], id))
            Counts.Count(DatagramDrop.SpentCookie);
        else
            Make(id, random, offer, from);
    }

    private void Make(ulong id, ReadOnlySpan<byte> random, ReadOnlySpan<byte> offer, SocketAddress from)
    {
        SessionKeys? keys = null;
        byte[] answer = [];
        if (_options.Protection is { } protection)
        {
            using var exchange = new KeyExchange(protection, _shared, isDatagrams: true);
            keys = exchange.TryAnswer(offer, out answer);
            if (keys is null)
            {
                Refuse(random, from);
                return;
            }
        }

        Span<byte> start = stackalloc byte[DatagramFormat.AcceptHeader];
        start[0] = DatagramFormat.Accept;
        random.CopyTo(start.Slice(1));
        BinaryPrimitives.WriteUInt64LittleEndian(start.Slice(1 + DatagramFormat.RandomSize), id);
        var session = new UdpSession(this, id, UdpSocket.Copy(from), [.. start, .. answer], _time.GetTimestamp());
        var remote = UdpSocket.EndPointOf(from);
        session.Channel = new UdpChannel(session, id, keys, _options.Udp, Counts, $"udp://{remote}", _time) { Identity = AddressGroup.Of(remote) };
        Interlocked.Increment(ref _unconfirmed);
        _sessions[id] = session;
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
            Interlocked.Decrement(ref _unconfirmed);
            return;
        }

        session.Unaccept();
        if (_isDisposed)
            session.Channel.Abort(); // whoever disposed took it for the host's
    }

    private void Refuse(ReadOnlySpan<byte> random, SocketAddress to)
    {
        Counts.Count(DatagramDrop.WrongProtection);
        Span<byte> refusal = stackalloc byte[1 + DatagramFormat.RandomSize];
        refusal[0] = DatagramFormat.Refuse;
        random.CopyTo(refusal.Slice(1));
        Send(refusal, to);
    }

    /// <summary>A client found this side's proof wrong. The host takes the connection to refuse it, and so counts it.</summary>
    private void Refused(ulong id, SocketAddress from)
    {
        if (!_sessions.TryGetValue(id, out var session) || session.IsAccepted || !UdpSocket.AreSame(session.Address, from))
            Counts.Count(DatagramDrop.UnknownConnection);
        else
            End(session, DisconnectReason.WrongProtection, "It knows another secret.");
    }

    /// <summary>Ends those that were not confirmed in time.</summary>
    private void Sweep()
    {
        if (Volatile.Read(ref _unconfirmed) == 0)
            return;
        foreach (var (_, session) in _sessions)
        {
            if (!session.IsAccepted && _time.GetElapsedTime(session.Since) > _options.Limits.HandshakeTimeout)
                End(session, DisconnectReason.HandshakeTimeout, "It never showed that it knows the secret.");
        }
    }

    private void End(UdpSession session, DisconnectReason reason, string message)
    {
        session.Channel.Fail(reason, message);
        TryAccept(session);
    }
}
