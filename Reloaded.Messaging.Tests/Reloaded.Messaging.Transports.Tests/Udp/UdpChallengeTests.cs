using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The challenges that a server sends to other addresses of a client with the right keys. Any machine on the path can forge these addresses.</summary>
public sealed class UdpChallengeTests : IDisposable
{
    private static readonly byte[] s_secret = new byte[32];
    private static readonly byte[] s_large = [.. PlainDatagram.Part(DatagramPart.Ping, []), .. PlainDatagram.Part(DatagramPart.Ping, []), .. PlainDatagram.Part(DatagramPart.Ping, []), .. PlainDatagram.Part(DatagramPart.Ping, [])];

    private readonly ManualTime _time = new();
    private readonly TransportContext _context;
    private byte[] _id = [];
    private SessionKeys? _keys;
    private ulong _number;

    public UdpChallengeTests() => _context = new TransportContext { Protection = ProtectionOptions.WithSecret(s_secret), TimeProvider = _time };

    public void Dispose() => _keys?.Dispose();

    [Fact]
    public async Task Datagram_that_is_smaller_than_a_challenge_causes_none()
    {
        await using var listener = UdpListeners.Listen(_context);
        using var home = new UnauthenticatedClient(listener.Endpoint);
        using var other = new UnauthenticatedClient(listener.Endpoint);
        var channel = await ConnectAsync(listener, home);

        for (var size = 1; size <= DatagramFormat.ChallengeSize; size++)
        {
            var small = Seal([(byte)DatagramPart.Frames, (byte)size, 0, (byte)(size - 1), .. new byte[size - 1]]); // one frame
            Assert.InRange(small.Length, 1, UdpChannel.MaxChallengeSize);
            await other.SendAsync(small);
            if (small.Length < UdpChannel.MaxChallengeSize)
                await AssertNotChallengedAsync(other);
            else
                Assert.Equal(UdpChannel.MaxChallengeSize, (await other.ReceiveAsync()).Length);
        }

        channel.Abort();
    }

    [Fact]
    public async Task All_other_addresses_of_a_client_share_one_limit_of_challenges()
    {
        await using var listener = UdpListeners.Listen(_context);
        using var home = new UnauthenticatedClient(listener.Endpoint);
        using var second = new UnauthenticatedClient(listener.Endpoint);
        using var third = new UnauthenticatedClient(listener.Endpoint);
        var channel = await ConnectAsync(listener, home);

        await second.SendAsync(Seal(s_large));
        Assert.Equal(UdpChannel.MaxChallengeSize, (await second.ReceiveAsync()).Length);
        for (var i = 0; i < 4; i++)
        {
            await third.SendAsync(Seal(s_large));
            await AssertNotChallengedAsync(third);
            await second.SendAsync(Seal(s_large));
            await AssertNotChallengedAsync(second);
        }

        _time.Pass(TimeSpan.FromMilliseconds(100));
        await third.SendAsync(Seal(s_large));
        Assert.Equal(UdpChannel.MaxChallengeSize, (await third.ReceiveAsync()).Length);
        await second.SendAsync(Seal(s_large));
        await AssertNotChallengedAsync(second);
        channel.Abort();
    }

    [Fact]
    public async Task Probe_is_large_enough_to_be_answered_with_a_challenge()
    {
        var settings = new ExchangeSettings(_context.Protection!, s_secret, isDatagrams: true);
        using var exchange = new KeyExchange(settings);
        using var keys = KeyExchange.TryAnswer(settings, exchange.MakeOffer(), out _)!;
        var port = new RecordingPort();
        var channel = new UdpChannel(port, 1, keys, UdpOptions.Default, new DatagramCounters(), "test", _time);
        await channel.SendAsync(new byte[] { 1, 7 }, Delivery.Unreliable, default).AsTask().InTime();
        Assert.Single(port.Sizes);

        _time.Advance(TimeSpan.FromSeconds(5));

        Assert.InRange(port.Sizes.Count, 2, int.MaxValue);
        Assert.All(port.Sizes.Skip(1), static size => Assert.InRange(size, UdpChannel.MaxChallengeSize, UdpOptions.Default.MaxDatagramSize));
        channel.Abort();
    }

    private async Task<TransportChannel> ConnectAsync(UdpListener listener, UnauthenticatedClient client)
    {
        using var exchange = new KeyExchange(new ExchangeSettings(_context.Protection!, s_secret, isDatagrams: true));
        await client.SendAsync(exchange.MakeConnect(await client.GetCookieAsync()));
        var accept = await client.ReceiveAsync();
        _id = accept[(1 + DatagramFormat.RandomSize)..DatagramFormat.AcceptHeader];
        _keys = exchange.TryFinish(accept.AsSpan(DatagramFormat.AcceptHeader));
        await client.SendAsync(Seal(PlainDatagram.Part(DatagramPart.Ping, [])));
        return (await listener.AcceptAsync(default).AsTask().InTime())!;
    }

    private byte[] Seal(byte[] plain)
    {
        var packet = new byte[plain.Length + TrafficKey.TagSize];
        var number = _number++;
        var epoch = _keys!.Sealer.Seal(plain, packet, number);
        return [DatagramFormat.Sealed, .. _id, (byte)epoch, .. BitConverter.GetBytes(number), .. packet];
    }

    /// <summary>Asks for a cookie, which arrives after the answers to earlier datagrams.</summary>
    private static async Task AssertNotChallengedAsync(UnauthenticatedClient client)
    {
        await client.SendAsync(UnauthenticatedClient.Hello());
        Assert.Equal(DatagramFormat.Cookie, (await client.ReceiveAsync())[0]);
    }

    private sealed class RecordingPort : IDatagramPort
    {
        public List<int> Sizes { get; } = [];

        public void Send(ReadOnlySpan<byte> datagram) => Sizes.Add(datagram.Length);

        public void Release(UdpChannel channel)
        {
            // There is no socket.
        }
    }
}
