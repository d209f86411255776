using System.Linq;
using System.Net;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What one address can take from a server's port without the secret.</summary>
public sealed class UdpBoundsTests
{
    private static readonly byte[] s_secret = new byte[32];

    private readonly ManualTime _time = new();
    private readonly TransportContext _protected;

    public UdpBoundsTests()
    {
        _protected = new TransportContext { Protection = ProtectionOptions.WithSecret(s_secret), HandshakeTimeout = TimeSpan.FromSeconds(60), TimeProvider = _time };
    }

    private TransportContext Exchanging => field ??= new() { Token = s_secret, Protection = ExchangedKeys.WithToken(), TimeProvider = _time };

    [Fact]
    public async Task Offers_of_one_address_without_the_secret_leave_room_for_a_client()
    {
        const int Offers = 1024;
        await using var listener = UdpListeners.Listen(_protected);
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(_protected.Protection!, s_secret, isDatagrams: true));

        for (var i = 0; i < Offers; i++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(20)); // below the rates
            await stranger.SendAsync(exchange.MakeConnect(await stranger.GetCookieAsync()));
            Assert.Equal(DatagramFormat.Accept, await stranger.ReceiveAsync(DatagramFormat.Accept));
        }

        var (server, client) = await ChannelPair.ConnectAsync(listener, ChannelFactory.For(_protected));
        Assert.Equal(Offers - _protected.MaxUnauthenticatedPerAddress, listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated));
        client.Abort();
        server.Abort();
        await Signal.UntilAsync(() => listener.SessionCount == _protected.MaxUnauthenticatedPerAddress);
    }

    [Fact]
    public async Task Offers_of_many_addresses_without_the_secret_end_the_oldest_connection()
    {
        var machines = 0;
        await using var listener = UdpListeners.Listen(_protected, _ => $"machine {Interlocked.Increment(ref machines)}"); // ports may come again
        using var exchange = new KeyExchange(new ExchangeSettings(_protected.Protection!, s_secret, isDatagrams: true));
        using var oldest = new UnauthenticatedClient(listener.Endpoint);
        var connect = exchange.MakeConnect(await oldest.GetCookieAsync());
        await oldest.SendAsync(connect);
        Assert.Equal(DatagramFormat.Accept, await oldest.ReceiveAsync(DatagramFormat.Accept));

        for (var i = 0; i < _protected.MaxUnauthenticated; i++)
        {
            using var stranger = new UnauthenticatedClient(listener.Endpoint);
            await stranger.SendAsync(exchange.MakeConnect(await stranger.GetCookieAsync()));
            Assert.Equal(DatagramFormat.Accept, await stranger.ReceiveAsync(DatagramFormat.Accept));
        }

        Assert.Equal(1, listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated));
        Assert.Equal(_protected.MaxUnauthenticated, listener.SessionCount);
        await oldest.SendAsync(connect);
        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.SpentCookie) == 1);
    }

    [Fact]
    public async Task Connections_with_the_secret_take_no_room_of_one_that_has_not_proved_it()
    {
        var context = new TransportContext { Protection = _protected.Protection, MaxUnauthenticated = 2, TimeProvider = _time };
        await using var listener = UdpListeners.Listen(context);
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(context.Protection!, s_secret, isDatagrams: true));
        await stranger.SendAsync(exchange.MakeConnect(await stranger.GetCookieAsync()));
        Assert.Equal(DatagramFormat.Accept, await stranger.ReceiveAsync(DatagramFormat.Accept));

        for (var i = 0; i < 4; i++)
        {
            var (server, client) = await ChannelPair.ConnectAsync(listener, ChannelFactory.For(context));
            client.Abort();
            server.Abort();
        }

        await Signal.UntilAsync(() => listener.SessionCount == 1);
        Assert.Equal(0, listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated));
    }

    [Fact]
    public async Task Offers_of_one_address_beyond_the_rate_are_refused_until_the_next_second()
    {
        await using var listener = UdpListeners.Listen(_protected);
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(_protected.Protection!, s_secret, isDatagrams: true));
        for (var i = 0; i < UdpListener.OffersPerSecond; i++)
        {
            await stranger.SendAsync(exchange.MakeConnect(await stranger.GetCookieAsync()));
            Assert.Equal(DatagramFormat.Accept, await stranger.ReceiveAsync(DatagramFormat.Accept));
        }

        var connect = exchange.MakeConnect(await stranger.GetCookieAsync());
        await stranger.SendAsync(connect);
        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated) == 1);
        Assert.Equal(UdpListener.OffersPerSecond, listener.SessionCount);

        _time.Advance(TimeSpan.FromSeconds(1));
        await stranger.SendAsync(connect);
        Assert.Equal(DatagramFormat.Accept, await stranger.ReceiveAsync(DatagramFormat.Accept));
    }

    [Fact]
    public async Task Offers_without_the_token_cause_no_exchange_and_lock_their_address_out()
    {
        const string Address = "192.0.2.7";
        await using var listener = UdpListeners.Listen(Exchanging, groupOf: static _ => Address);
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(Exchanging.Protection!, s_secret, isDatagrams: true));
        var connect = exchange.MakeConnect(await stranger.GetCookieAsync());
        byte[] forged = [.. connect[..^1], (byte)(connect[^1] ^ 1)];

        for (var i = 0; i < AddressLockout.DefaultFailures; i++)
        {
            await stranger.SendAsync(forged); // the cookie is not spent by it
            var refusal = await stranger.ReceiveAsync();
            Assert.Equal([DatagramFormat.Refuse, .. connect[1..17]], refusal);
        }

        Assert.Equal(AddressLockout.DefaultFailures, listener.Counts.GetDropped(DatagramDropReason.WrongProtection));
        Assert.True(Exchanging.Lockout.IsLockedOut(Address));
        await stranger.SendAsync(connect);
        var answer = await stranger.ReceiveAsync();
        Assert.Equal([DatagramFormat.Refuse, .. connect[1..17], DatagramFormat.LockedOut], answer);
        Assert.Equal(1, listener.Counts.GetDropped(DatagramDropReason.LockedOut));
        Assert.Equal(0, listener.SessionCount);
    }

    [Fact]
    public async Task Offer_of_another_cookie_is_refused()
    {
        await using var listener = UdpListeners.Listen(Exchanging);
        using var client = new UnauthenticatedClient(listener.Endpoint);
        using var observer = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(Exchanging.Protection!, s_secret, isDatagrams: true));
        var offer = exchange.MakeConnect(await client.GetCookieAsync())[DatagramFormat.ConnectSize..];

        await observer.SendAsync([.. await observer.GetCookieAsync(), .. offer]);

        Assert.Equal(DatagramFormat.Refuse, await observer.ReceiveAsync(DatagramFormat.Refuse));
        Assert.Equal(1, listener.Counts.GetDropped(DatagramDropReason.WrongProtection));
    }

    [Fact]
    public async Task Offers_with_an_invalid_point_are_counted_and_lock_their_address_out()
    {
        const string Address = "192.0.2.7";
        await using var listener = UdpListeners.Listen(Exchanging, groupOf: static _ => Address);
        using var holder = new UnauthenticatedClient(listener.Endpoint);
        var settings = new ExchangeSettings(Exchanging.Protection!, s_secret, isDatagrams: true);
        using var exchange = new KeyExchange(settings);
        var message = exchange.MakeOffer()[..settings.AnswerSize];
        message[ExchangeSettings.StartSize] ^= 1;
        for (var i = 0; i < AddressLockout.DefaultFailures; i++)
        {
            var connect = await holder.GetCookieAsync();
            var mac = new byte[ExchangeSettings.MacSize];
            settings.WriteMac(connect.AsSpan(1), message, mac);
            await holder.SendAsync([.. connect, .. message, .. mac]);
        }

        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.InvalidOffer) == AddressLockout.DefaultFailures);
        Assert.True(Exchanging.Lockout.IsLockedOut(Address));
        Assert.Equal(0, listener.SessionCount);
    }

    [Fact]
    public async Task Connections_that_hold_too_much_memory_end_and_an_honest_one_goes_on()
    {
        const int Count = 40;
        var context = new TransportContext { MaxHeldBytes = 4 << 20, HeldBytesOfEach = 0 };
        await using var listener = UdpListeners.Listen(context);
        var (server, client) = await ChannelPair.ConnectAsync(listener);
        var (hostile, ended) = (new List<TransportChannel>(), 0);
        for (var i = 0; i < Count; i++)
        {
            using var stranger = new UnauthenticatedClient(listener.Endpoint);
            await stranger.SendAsync(await stranger.GetCookieAsync());
            var id = (await stranger.ReceiveAsync())[17..25];
            hostile.Add((await listener.AcceptAsync(default).AsTask().InTime())!);
            for (var channel = 0; channel < OrderedChannels.Count; channel++)
            {
                var received = listener.Counts.Received;
                await stranger.SendAsync(MakeGaps(id, channel));
                await Signal.UntilAsync(() => listener.Counts.Received > received && listener.HeldBytes > 0);
                Assert.InRange(listener.HeldBytes, 1, context.MaxHeldBytes + (64 * ByteRing.SegmentSize)); // until the datagram is handled
            }
        }

        await client.SendAsync(new byte[] { 1, 7 }, Delivery.Unreliable, default);
        var buffer = new byte[10];
        Assert.Equal(2, await server.ReceiveAsync(buffer, default).AsTask().InTime());
        foreach (var channel in hostile)
        {
            if (await Record.ExceptionAsync(() => channel.ReceiveAsync(buffer, new CancellationToken(channel is UdpChannel { HeldBytes: > 0 })).AsTask().InTime()) is TransportClosedException failure)
            {
                Assert.Equal(TransportCloseReason.NotReading, failure.Reason);
                ended++;
            }

            channel.Abort();
        }

        Assert.InRange(ended, Count / 3, Count - 1);
        server.Abort();
        client.Abort();
        await Signal.UntilAsync(() => listener.SessionCount == 0);
        Assert.Equal(0, listener.HeldBytes);
    }

    [Fact]
    public async Task Further_connections_raise_the_memory_that_one_may_hold()
    {
        await using var listener = UdpListeners.Listen(new TransportContext { MaxHeldBytes = 0, HeldBytesOfEach = 16 * ByteRing.SegmentSize });
        var (server, client) = await ChannelPair.ConnectAsync(listener);
        var others = new List<TransportChannel>();
        for (var i = 0; i < 2; i++)
        {
            var (other, its) = await ChannelPair.ConnectAsync(listener);
            others.AddRange([other, its]);
        }

        await client.SendAsync(new byte[] { 0xE0, 0xD4, 0x03 }.Concat(new byte[60_000]).ToArray(), Delivery.ReliableOrdered, default);
        await Signal.UntilAsync(() => listener.HeldBytes >= 60_000);
        var (buffer, size) = (new byte[65536], 0);
        while (size < 60_003)
            size += await server.ReceiveAsync(buffer.AsMemory(size), default).AsTask().InTime();

        foreach (var channel in (TransportChannel[])[.. others, client, server])
            channel.Abort();
    }

    [Fact]
    public async Task Connection_that_ends_for_its_memory_tells_the_other_side()
    {
        await using var listener = UdpListeners.Listen(new TransportContext { MaxHeldBytes = 0, HeldBytesOfEach = 16 * ByteRing.SegmentSize });
        var (server, client) = await ChannelPair.ConnectAsync(listener);
        var receiving = client.ReceiveAsync(new byte[10], default).AsTask();

        await client.SendAsync(new byte[] { 0xE0, 0xD4, 0x03 }.Concat(new byte[60_000]).ToArray(), Delivery.ReliableOrdered, default);
        var buffer = new byte[1];
        var failure = await Assert.ThrowsAsync<TransportClosedException>(async () =>
        {
            for (var i = 0; i < 500; i++)
            {
                await server.ReceiveAsync(buffer, default).AsTask().InTime();
                await Task.Delay(10);
            }
        });
        server.Abort();

        Assert.Equal(TransportCloseReason.NotReading, failure.Reason);
        Assert.Equal(0, await receiving.InTime());
        client.Abort();
    }

    /// <summary>Makes a datagram with one byte for each segment of the first room of a channel, except the first segment.</summary>
    private static byte[] MakeGaps(ReadOnlySpan<byte> connection, int channel)
    {
        var room = channel == 0 ? OrderedSender.InitialRoom : OrderedChannels.InitialRoom;
        List<byte> datagram = [.. PlainDatagram.Make(connection, (ulong)channel, DatagramPart.Ping, default)];
        for (var offset = ByteRing.SegmentSize; offset < room; offset += ByteRing.SegmentSize)
            datagram.AddRange(PlainDatagram.Part(DatagramPart.Data, [(byte)channel, .. BitConverter.GetBytes((ulong)offset), 1]));
        return [.. datagram];
    }

    [Fact]
    public async Task Hellos_of_one_address_beyond_the_rate_are_counted_and_not_answered()
    {
        const int Excess = 10;
        await using var listener = UdpListeners.Listen(_protected);
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var other = new UnauthenticatedClient(listener.Endpoint);

        for (var i = 0; i < UdpListener.HellosPerSecond + Excess; i++)
            await stranger.SendAsync(UnauthenticatedClient.Hello());
        await Signal.UntilAsync(() => listener.Counts.Received == UdpListener.HellosPerSecond + Excess);
        Assert.Equal(Excess, listener.Counts.GetDropped(DatagramDropReason.TooManyHellos));

        await other.GetCookieAsync();
        for (var i = 0; i < UdpListener.HellosPerSecond; i++)
            Assert.Equal(DatagramFormat.Cookie, (await stranger.ReceiveAsync())[0]);
        Assert.Equal(0, stranger.Available);
        _time.Advance(TimeSpan.FromSeconds(1));
        await stranger.GetCookieAsync();
    }

    [Theory]
    [InlineData("another cookie", DatagramFormat.Cookie)]
    [InlineData("again", DatagramFormat.Accept)]
    [InlineData("another MAC", DatagramFormat.Refuse)]
    [InlineData("another MAC, locked out", DatagramFormat.Refuse)]
    public async Task What_a_stranger_repeats_is_answered_as_seldom_as_hellos(string repeated, byte answer)
    {
        const int Excess = 10;
        var isLockedOut = repeated == "another MAC, locked out";
        await using var listener = UdpListeners.Listen(_protected, groupOf: _ => isLockedOut ? "192.0.2.7" : null);
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(new ExchangeSettings(_protected.Protection!, s_secret, isDatagrams: true));
        var connect = exchange.MakeConnect(await stranger.GetCookieAsync());
        switch (repeated)
        {
            case "another cookie":
                connect[DatagramFormat.ConnectSize - 1] ^= 1;
                break;
            case "again":
                await stranger.SendAsync(connect);
                await stranger.ReceiveAsync(answer);
                break;
            default:
                connect[^1] ^= 1;
                break;
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        var before = listener.Counts.Received;
        for (var i = 0; i < UdpListener.HellosPerSecond + Excess; i++)
            await stranger.SendAsync(connect);
        await Signal.UntilAsync(() => listener.Counts.Received == before + UdpListener.HellosPerSecond + Excess);

        for (var i = 0; i < UdpListener.HellosPerSecond; i++)
            Assert.Equal(answer, (await stranger.ReceiveAsync())[0]);
        using var other = new UnauthenticatedClient(listener.Endpoint);
        await other.GetCookieAsync(); // the last datagram was handled
        Assert.Equal(0, stranger.Available);
        Assert.Equal(isLockedOut, listener.Counts.GetDropped(DatagramDropReason.LockedOut) > 0);
    }
}
