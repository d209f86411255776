using System.Linq;
using System.Net;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What strangers may send to a server's port.</summary>
public sealed class UdpAttackTests
{
    private static readonly byte[] s_secret = new byte[32];
    private static readonly ProtectionOptions s_protection = ProtectionOptions.WithSecret(s_secret);

    [Fact]
    public async Task Flood_of_hellos_creates_no_session_and_receives_fewer_bytes_than_it_sent()
    {
        await using var listener = UdpListeners.Listen(new TransportContext { Protection = s_protection });
        using var stranger = new UnauthenticatedClient(listener.Endpoint);

        for (var i = 0; i < 5000; i++)
            await stranger.SendAsync(UnauthenticatedClient.Hello());
        var cookie = await stranger.ReceiveAsync();
        await Signal.UntilAsync(() => listener.Counts.Received >= 100);

        Assert.Equal(0, listener.SessionCount);
        Assert.Equal(DatagramFormat.Cookie, cookie[0]);
        Assert.True(cookie.Length < DatagramFormat.HelloSize);
    }

    [Fact]
    public async Task Cookie_that_is_forged_or_of_another_address_opens_no_connection()
    {
        await using var listener = UdpListeners.Listen(new TransportContext());
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var other = new UnauthenticatedClient(listener.Endpoint);
        var connect = await stranger.GetCookieAsync();

        await other.SendAsync(connect); // as one that sends in another's name would have to
        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.WrongCookie) == 1);
        for (var i = 1; i < connect.Length; i++)
        {
            var altered = (byte[])connect.Clone();
            altered[i] ^= 1;
            await stranger.SendAsync(altered);
        }

        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.WrongCookie) == connect.Length);
        Assert.Equal(0, listener.SessionCount);
        await stranger.SendAsync(connect);
        Assert.Equal(DatagramFormat.Accept, await stranger.ReceiveAsync(DatagramFormat.Accept)); // after cookies
        Assert.Equal(1, listener.SessionCount);
    }

    [Fact]
    public async Task Cookie_used_again_returns_the_same_connection_until_that_connection_ends()
    {
        await using var listener = UdpListeners.Listen(new TransportContext());
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        var connect = await stranger.GetCookieAsync();
        await stranger.SendAsync(connect);
        var accept = await stranger.ReceiveAsync();
        var channel = await listener.AcceptAsync(default).AsTask().InTime();

        await stranger.SendAsync(connect);
        Assert.Equal(accept, await stranger.ReceiveAsync());
        Assert.Equal(1, listener.SessionCount);
        channel!.Abort();
        await stranger.SendAsync(connect);

        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.SpentCookie) == 1);
        Assert.Equal(0, listener.SessionCount);
    }

    [Fact]
    public async Task Clients_without_the_secret_are_removed_after_the_timeout()
    {
        const int Count = 60;
        var time = new ManualTime();
        await using var listener = UdpListeners.Listen(new TransportContext { Protection = s_protection, TimeProvider = time });
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(s_protection, s_secret, isDatagrams: true));
        for (var i = 0; i < Count; i++)
        {
            await stranger.SendAsync(exchange.MakeConnect(await stranger.GetCookieAsync()));
            Assert.Equal(DatagramFormat.Accept, (await stranger.ReceiveAsync())[0]);
        }

        Assert.Equal(Count, listener.SessionCount);
        time.Advance(new TransportContext().HandshakeTimeout + TimeSpan.FromSeconds(1));
        for (var i = 0; i < Count; i++)
        {
            var channel = await listener.AcceptAsync(default).AsTask().InTime(); // so that the host counts it
            var failure = await Assert.ThrowsAsync<TransportClosedException>(() => channel!.ReceiveAsync(new byte[1], default).AsTask().InTime());
            Assert.Equal(TransportCloseReason.HandshakeTimeout, failure.Reason);
            await channel!.DisposeAsync();
        }

        Assert.Equal(0, listener.SessionCount);
    }

    [Fact]
    public async Task Noise_is_counted_and_answered_with_cookies_alone()
    {
        await using var listener = UdpListeners.Listen(new TransportContext { Protection = s_protection });
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        var random = new Random(5);
        const int Count = 2000;
        for (var i = 0; i < Count; i++)
        {
            var noise = new byte[random.Next(0, 200)];
            random.NextBytes(noise);
            if (noise.Length > 0)
                noise[0] = (byte)random.Next(10);
            await stranger.SendAsync(noise);
            if (i % 50 == 49) // as many as the buffer of the socket surely holds
                await Signal.UntilAsync(() => listener.Counts.Received == i + 1);
        }

        Assert.Equal(Count, Enum.GetValues<DatagramDropReason>().Sum(listener.Counts.GetDropped));
        Assert.Equal(0, listener.SessionCount);
        while (stranger.Available > 0)
            Assert.Equal(DatagramFormat.Cookie, (await stranger.ReceiveAsync())[0]);
    }

    [Theory]
    [InlineData(new byte[] { 5, 0x7F, 4, 0 })] // cut short
    [InlineData(new byte[] { 0 })]
    [InlineData(new byte[] { 1, 3, 2 })]
    [InlineData(new byte[] { })]
    [InlineData(new byte[] { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 })]
    public async Task Datagram_without_whole_frames_is_dropped(byte[] body)
    {
        await using var listener = UdpListeners.Listen(new TransportContext());
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        await stranger.SendAsync(await stranger.GetCookieAsync());
        var id = (await stranger.ReceiveAsync())[17..25];
        var channel = await listener.AcceptAsync(default).AsTask().InTime();

        await stranger.SendAsync(PlainDatagram.Make(id, 0, DatagramPart.Frames, body));
        await stranger.SendAsync(PlainDatagram.Make(id, 1, DatagramPart.Frames, [2, 7, 7]));

        var buffer = new byte[100];
        Assert.Equal(3, await channel!.ReceiveAsync(buffer, default).AsTask().InTime());
        Assert.Equal([2, 7, 7], buffer[..3]);
        Assert.Equal(1, listener.Counts.GetDropped(DatagramDropReason.Malformed));
        channel.Abort();
    }

    [Fact]
    public async Task Datagrams_beyond_the_inbox_are_dropped_and_counted()
    {
        await using var listener = UdpListeners.Listen(new TransportContext());
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        await stranger.SendAsync(await stranger.GetCookieAsync());
        var id = (await stranger.ReceiveAsync())[17..25];
        var channel = await listener.AcceptAsync(default).AsTask().InTime();
        byte[] frame = [0xE8, 0x07, .. new byte[1000]];

        for (var i = 0; listener.Counts.GetDropped(DatagramDropReason.InboxFull) < 10; i++)
        {
            Assert.InRange(i, 0, 400);
            var before = listener.Counts.Received;
            await stranger.SendAsync(PlainDatagram.Make(id, (ulong)i, DatagramPart.Frames, frame));
            await Signal.UntilAsync(() => listener.Counts.Received > before);
        }

        var received = 0;
        var buffer = new byte[LooseReceiver.Capacity];
        while (received < 255 * 1002)
            received += await channel!.ReceiveAsync(buffer, default).AsTask().InTime();
        Assert.InRange(received, 1, LooseReceiver.Capacity);
        channel!.Abort();
    }
}
