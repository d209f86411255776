using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>What someone on the path who reads and sends, and can't drop anything, does to a handshake.</summary>
public sealed class UdpForgeryTests
{
    private static readonly byte[] s_secret = new byte[32];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Forged_answers_do_not_keep_a_protected_client_from_connecting(bool exchangesKeys)
    {
        var options = Make(exchangesKeys);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        await using var proxy = new UdpProxy();
        proxy.Treat = static (datagram, isUp) => isUp || datagram[0] is not (DatagramFormat.Cookie or DatagramFormat.Accept)
            ? [datagram]
            : [[DatagramFormat.Refuse, .. datagram[1..17]], Alter(datagram), datagram];
        proxy.Start(server.Endpoint);

        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: options).InTime();

        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.True(client.GetCount(DatagramDropReason.WrongProtection) >= 3); // two refusals, one wrong proof
    }

    [Fact]
    public async Task Refusal_that_stays_the_only_answer_ends_the_handshake_with_its_reason()
    {
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: Make(exchangesKeys: true));
        proxy.Treat = static (datagram, isUp) => !isUp && datagram[0] == DatagramFormat.Accept
            ? [[DatagramFormat.Refuse, .. datagram[1..17], DatagramFormat.LockedOut]]
            : [datagram];
        proxy.Start(server.Endpoint);

        var options = new MessageHostOptions { Token = s_secret, Protection = ExchangedKeys.WithToken(), Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMinutes(10) } };
        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(proxy.Endpoint, options: options).InTime());

        Assert.Equal(DisconnectReason.LockedOut, refusal.Reason);
    }

    [Fact]
    public async Task Refusal_without_a_reason_ends_the_handshake_with_WrongProtection()
    {
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: Make(exchangesKeys: true));
        proxy.Treat = static (datagram, isUp) => !isUp && datagram[0] == DatagramFormat.Accept ? [[DatagramFormat.Refuse, .. datagram[1..17]]] : [datagram];
        proxy.Start(server.Endpoint);

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(proxy.Endpoint, options: Make(exchangesKeys: true)).InTime());

        Assert.Equal(DisconnectReason.WrongProtection, refusal.Reason);
    }

    [Fact]
    public async Task Refusal_of_another_protection_has_no_reason()
    {
        var listener = UdpListeners.Listen(Make(exchangesKeys: false).MakeTransportContext());
        await using var _ = listener;
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        var connect = await stranger.GetCookieAsync();

        await stranger.SendAsync([.. connect, 1, 2, 3]);

        var refusal = await stranger.ReceiveAsync();
        Assert.Equal([DatagramFormat.Refuse, .. connect[1..17]], refusal);
    }

    [Fact]
    public async Task Answers_that_the_client_asked_for_twice_are_counted_as_duplicates_and_not_as_replayed()
    {
        var options = Make(exchangesKeys: false);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: options);
        await using var proxy = new UdpProxy();
        var answers = new List<byte[]>();
        proxy.Treat = (datagram, isUp) =>
        {
            if (isUp || datagram[0] == DatagramFormat.Sealed)
            {
                var late = isUp ? [] : answers.ToArray();
                if (!isUp)
                    answers.Clear();
                return [datagram, .. late];
            }

            answers.Add(datagram); // as one that the server was asked for again, on a busy machine
            return [datagram];
        };
        proxy.Start(server.Endpoint);

        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: options).InTime();

        await Signal.UntilAsync(() => client.GetCount(DatagramDropReason.DuplicateAnswer) + client.GetCount(DatagramDropReason.Replayed) >= 2);
        Assert.Equal(0, client.GetCount(DatagramDropReason.Replayed));
        Assert.Equal(0, server.GetCount(DatagramDropReason.Replayed));
    }

    private static byte[] Alter(byte[] datagram)
    {
        var altered = (byte[])datagram.Clone();
        altered[^1] ^= 1;
        return altered;
    }

    [Fact]
    public async Task Copies_from_another_address_do_not_take_over_a_connection()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), Make(exchangesKeys: false));
        await using var proxy = new UdpProxy();
        var seen = new List<byte[]>();
        proxy.Treat = (datagram, isUp) =>
        {
            lock (seen)
            {
                if (isUp && datagram[0] == DatagramFormat.Sealed)
                    seen.Add(datagram);
            }

            return [datagram];
        };
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: Make(exchangesKeys: false)).InTime();
        await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime();
        using var thief = new UnauthenticatedClient(server.Endpoint);

        byte[][] captured;
        lock (seen)
            captured = [.. seen];
        foreach (var datagram in captured)
            await thief.SendAsync(datagram);

        await Signal.UntilAsync(() => server.GetCount(DatagramDropReason.Replayed) == captured.Length);
        Assert.Equal(0, thief.Available);
        Assert.Equal(new Pong(2), await client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());
    }

    [Fact]
    public async Task Forged_close_does_not_end_a_protected_connection()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), Make(exchangesKeys: false));
        await using var proxy = new UdpProxy();
        var id = new byte[8];
        proxy.Treat = (datagram, isUp) =>
        {
            if (datagram[0] != DatagramFormat.Sealed)
                return [datagram];
            datagram.AsSpan(1, 8).CopyTo(id);
            return [datagram, PlainDatagram.Make(id, 1, DatagramPart.Close, []), [DatagramFormat.Refuse, .. id, 0], [DatagramFormat.Sealed, .. id, .. new byte[26]]];
        };
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: Make(exchangesKeys: false)).InTime();

        for (var i = 0; i < 20; i++)
            Assert.Equal(new Pong(i), await client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());

        Assert.True(server.GetCount(DatagramDropReason.Forged) > 20);
        Assert.True(client.GetCount(DatagramDropReason.Forged) > 20);
    }

    private static MessageHostOptions Make(bool exchangesKeys) => exchangesKeys
        ? new MessageHostOptions { Token = s_secret, Protection = ExchangedKeys.WithToken() }
        : new MessageHostOptions { Protection = ProtectionOptions.WithSecret(s_secret) };
}
