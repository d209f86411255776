using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>What has to arrive does, on a path that loses, repeats and mixes.</summary>
public sealed class UdpLossTests
{
    private const int MaxFragments = 10;

    private readonly MessageHostOptions _options = new()
    {
        Token = new byte[32],
        Protection = ExchangedKeys.WithToken(),
        Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromSeconds(25) },
    };

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Handshakes_get_through_loss_repetition_and_another_order(int seed)
    {
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0, MaxFragments), KnowMuch, _options);
        proxy.Start(server.Endpoint);
        var random = new Random(seed);
        byte[]? held = null;
        proxy.Treat = (datagram, _) =>
        {
            lock (random)
            {
                var what = random.Next(10);
                if (what < 2)
                    return [];
                if (what < 3)
                    return [datagram, datagram];
                if (what > 3 || held is not null)
                    return [datagram];
                held = datagram;
                return [];
            }
        };

        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Udp(proxy.Endpoint.Port, MaxFragments), KnowMuch, _options).InTime();
        await server.Connection().InTime();
        var gone = server.Disconnection();
        var answered = 0;
        for (var i = 0; i < 20 || (answered == 0 && i < 200); i++)
        {
            var result = await client.TryRequestAsync<Ping, Pong>(new Ping(i), TimeSpan.FromMilliseconds(100)).AsTask().InTime();
            Assert.True(result.Status is RequestStatus.Replied or RequestStatus.TimedOut);
            answered += result.Status == RequestStatus.Replied ? 1 : 0;
        }

        Assert.NotEqual(0, answered); // two in three on average, and fewer on a busy machine
        await client.DisposeAsync().AsTask().InTime();
        Assert.True(await gone.InTime() is DisconnectReason.Goodbye or DisconnectReason.ConnectionLost);

        static void KnowMuch(MessageHost host)
        {
            host.OnRequest((Ping ping) => new Pong(ping.Number));
            for (var i = 0u; i < 200; i++) // a hello of 10 KB
                host.On(new MessageContract<Note>(1000 + i, MessageContract.GetDeclared<Note>().Serializer), (in Note _, Peer _) => { });
        }
    }

    [Fact]
    public async Task Divided_message_that_loses_a_part_is_dropped_and_incomplete_messages_are_bounded()
    {
        var received = new List<int>();
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0, MaxFragments), server => server.On((in Note note, Peer _) => received.Add(note.Text.Length)), _options);
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Udp(proxy.Endpoint.Port, MaxFragments), options: _options).InTime();
        await server.Connection().InTime();

        var count = 0;
        proxy.Treat = (datagram, isUp) => isUp && datagram.Length > 1000 && count++ % 2 == 0 ? [] : [datagram]; // the first of each three: the third is small
        for (var i = 0; i < 6; i++)
        {
            client.Send(new Note(new string('x', 2500 + i)));
            await client.Server.FlushAsync();
        }

        await Signal.UntilAsync(() => server.GetCount(DatagramDropReason.Incomplete) == 6); // two to make room, four after a second

        proxy.Treat = static (datagram, _) => [datagram];
        client.Send(new Note(new string('x', 3000)));
        await Signal.UntilAsync(() => received.Count > 0);
        Assert.Equal(3000, received.Single());
    }

    [Fact]
    public async Task Parts_may_arrive_in_any_order_and_twice()
    {
        var received = Signal.New<string>();
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0, MaxFragments), server => server.On((in Note note, Peer _) => received.SetResult(note.Text)), _options);
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Udp(proxy.Endpoint.Port, MaxFragments), options: _options).InTime();
        await server.Connection().InTime();
        var held = new List<byte[]>();
        proxy.Treat = (datagram, isUp) =>
        {
            if (!isUp || datagram.Length < 600)
                return [datagram];
            held.Insert(0, datagram);
            return held.Count < 5 ? [] : [.. held, .. held];
        };

        var text = string.Concat(Enumerable.Range(0, 5400).Select(i => (char)('a' + (i % 26))));
        client.Send(new Note(text));

        Assert.Equal(text, await received.Task.InTime());
        await Signal.UntilAsync(() => server.GetCount(DatagramDropReason.Replayed) == 5);
    }
}
