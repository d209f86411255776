using System.Collections.Concurrent;
using System.Net;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Key exchanges that unauthenticated clients cause, beside the datagrams of connected peers.</summary>
public sealed class UdpOfferTests : IDisposable
{
    private static readonly byte[] s_token = new byte[32];

    private readonly ManualTime _time = new();
    private readonly TransportContext _context;
    private readonly List<UnauthenticatedClient> _strangers = [];
    private readonly ConcurrentDictionary<int, int> _asked = new(); // by port, for the last offer
    private readonly ManualResetEventSlim _continues = new(initialState: true);
    private readonly ManualResetEventSlim _begun = new();
    private TimeSpan _duration; // of each exchange, by the clock

    public UdpOfferTests() => _context = new TransportContext { Token = s_token, Protection = ExchangedKeys.WithToken(), TimeProvider = _time, HandshakeTimeout = TimeSpan.FromHours(1) };

    public void Dispose()
    {
        _continues.Set();
        foreach (var stranger in _strangers)
            stranger.Dispose();
        _continues.Dispose();
        _begun.Dispose();
    }

    [Fact]
    public async Task Connected_peer_is_served_while_a_key_is_exchanged()
    {
        await using var listener = Listen();
        var (server, client) = await ChannelPair.ConnectAsync(listener, ChannelFactory.For(_context));
        var offer = await OfferAsync(listener);
        _begun.Reset();
        _continues.Reset();

        await SendAsync(offer);
        await Deadline.RunAside(_begun.WaitInTime);
        await client.SendAsync(new byte[] { 1, 7 }, Delivery.Reliable, default).AsTask().InTime();
        var buffer = new byte[16];
        Assert.Equal(2, await server.ReceiveAsync(buffer, default).AsTask().InTime());
        Assert.False(_continues.IsSet);
        Assert.Equal(0, offer.Client.Available);

        _continues.Set();
        Assert.Equal(DatagramFormat.Accept, await offer.Client.ReceiveAsync(DatagramFormat.Accept));
        client.Abort();
        server.Abort();
    }

    [Fact]
    public async Task Offers_beyond_the_queue_are_counted_and_accepted_when_they_are_sent_again()
    {
        const int Excess = 5;
        await using var listener = Listen();
        var offers = new List<Offer>();
        for (var i = 0; i < 1 + KeyOffers.MaxWaiting + Excess; i++)
            offers.Add(await OfferAsync(listener));
        _continues.Reset();

        await SendAsync(offers[0]);
        await Deadline.RunAside(_begun.WaitInTime);
        foreach (var offer in offers[1..])
        {
            var before = listener.Counts.Received;
            await SendAsync(offer);
            await Signal.UntilAsync(() => listener.Counts.Received > before);
        }

        await Signal.UntilAsync(() => listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated) == Excess);
        _continues.Set();
        foreach (var offer in offers[..^Excess])
            Assert.Equal(DatagramFormat.Accept, await offer.Client.ReceiveAsync(DatagramFormat.Accept));
        foreach (var offer in offers[^Excess..])
        {
            await SendAsync(offer); // with the same cookie, as a client does
            Assert.Equal(DatagramFormat.Accept, await offer.Client.ReceiveAsync(DatagramFormat.Accept));
        }

        Assert.Equal(offers.Count, listener.SessionCount);
    }

    [Fact]
    public async Task Offers_beyond_the_share_of_time_are_counted_and_accepted_when_time_has_passed()
    {
        await using var listener = Listen();
        _duration = OfferAdmission.BurstOfNew;
        await Signal.UntilAsync(async () =>
        {
            await SendAsync(await OfferAsync(listener)); // the work is noted after the answer, so more than two may be accepted
            return listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated) > 0;
        });
        var accepted = listener.SessionCount;
        Assert.True(accepted >= 2, $"{accepted} offers were accepted.");

        await Signal.UntilAsync(async () =>
        {
            _time.Pass(2 * WorkShare.Factor * OfferAdmission.BurstOfNew); // again if the work for an offer ends after the first pass, and so includes it
            await SendAsync(await OfferAsync(listener)); // with a cookie of this time
            return listener.SessionCount > accepted;
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Work_takes_no_more_than_its_share_and_is_not_refused_below_it(int seed)
    {
        var random = new Random(seed);
        for (var run = 0; run < 200; run++)
        {
            var burst = TimeSpan.FromMicroseconds(random.Next(300_000));
            var (share, steady) = (new WorkShare(burst), new WorkShare(burst));
            var (now, worked, then) = (TimeSpan.Zero, TimeSpan.Zero, TimeSpan.Zero);
            var longest = TimeSpan.FromMicroseconds(random.Next(1, 300_000));
            var idle = TimeSpan.FromMicroseconds(random.Next(1, 300_000));
            for (var i = 0; i < 300; i++)
            {
                var duration = random.NextDouble() * longest;
                now += random.NextDouble() * idle;
                if (share.HasTime(now, 1))
                {
                    share.Note(now, now + duration);
                    worked += duration;
                    now += duration;
                }

                Assert.True(WorkShare.Factor * (worked - longest - burst) <= now, $"Seed {seed}, run {run}: {worked} of {now} were allowed.");
                Assert.True(share.HasTime(now + (WorkShare.Factor * longest), 1), $"Seed {seed}, run {run}: the work is refused for longer than its share needs.");

                Assert.True(steady.HasTime(then, random.NextDouble()), $"Seed {seed}, run {run}: work within its share was refused.");
                steady.Note(then, then + duration);
                then += WorkShare.Factor * duration;
            }
        }
    }

    /// <summary>Listens with a hook in each key exchange: the identity of the remote side is asked for on the thread that receives, and then in the exchange.</summary>
    private UdpListener Listen() => UdpListeners.Listen(_context, remote =>
    {
        if (_asked.AddOrUpdate(((IPEndPoint)remote).Port, 1, static (_, count) => count + 1) != 2)
            return null;
        _begun.Set();
        _continues.WaitInTime();
        _time.Pass(_duration);
        return null;
    });

    private async Task<Offer> OfferAsync(UdpListener listener)
    {
        var client = new UnauthenticatedClient(listener.Endpoint);
        _strangers.Add(client);
        using var exchange = new KeyExchange(new ExchangeSettings(_context.Protection!, s_token, isDatagrams: true));
        return new Offer(client, exchange.MakeConnect(await client.GetCookieAsync()));
    }

    private Task<int> SendAsync(Offer offer)
    {
        _asked[offer.Client.Port] = 0;
        return offer.Client.SendAsync(offer.Connect);
    }

    private sealed record Offer(UnauthenticatedClient Client, byte[] Connect);
}
