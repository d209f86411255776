using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Hosts over the sample transport.</summary>
public sealed class LossyHostTests
{
    private const int Seed = 3;
    private const double Loss = 0.2;

    private static readonly TimeSpan s_never = TimeSpan.FromDays(1);

    private readonly LossyTransport _transport = new(Seed);

    [Fact]
    public async Task Hosts_with_the_same_token_exchange_events_and_requests()
    {
        var options = new MessageHostOptions { Token = new byte[] { 1, 2, 3 } };
        var (events, greeting) = (Signal.New<string>(), Signal.New<string>());
        await using var server = await MessageHost.ListenAsync(Endpoint, host =>
        {
            host.On((in Note note, Peer from) => events.SetResult(note.Text));
            host.OnRequest((in Ping ping, Peer _) => new Pong(ping.Number + 1));
        }, options);
        await using var client = await MessageHost.ConnectAsync(Endpoint, host => host.On((in Note note, Peer _) => greeting.SetResult(note.Text)), options);

        client.Send(new Note("up"));
        server.Broadcast(new Note("down"));

        Assert.Equal("up", await events.Task.InTime());
        Assert.Equal("down", await greeting.Task.InTime());
        Assert.Equal(new Pong(42), await client.RequestAsync<Ping, Pong>(new Ping(41)).AsTask().InTime());
    }

    [Fact]
    public async Task Client_with_another_token_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(Endpoint, options: new MessageHostOptions { Token = new byte[] { 1 } });

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() =>
            MessageHost.ConnectAsync(Endpoint, options: new MessageHostOptions { Token = new byte[] { 2 } }).InTime());

        Assert.Equal(DisconnectReason.WrongToken, refusal.Reason);
    }

    [Fact]
    public async Task Handshake_and_goodbye_arrive_when_all_unreliable_frames_are_lost()
    {
        _transport.Loss = 1;
        await using var server = await MessageHost.ListenAsync(Endpoint);
        var gone = server.Disconnection();

        var client = await MessageHost.ConnectAsync(Endpoint).InTime();
        await client.DisposeAsync().AsTask().InTime();

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
    }

    [Fact]
    public async Task Events_that_the_seed_loses_are_lost_and_requests_are_not()
    {
        const int Events = 200;
        var options = new MessageHostOptions { RequestTimeout = s_never, PingInterval = s_never, KeepAliveTimeout = s_never };
        var handled = new ConcurrentQueue<string>();
        await using var server = await MessageHost.ListenAsync(Endpoint, host =>
        {
            host.On((in Note note, Peer _) => handled.Enqueue(note.Text));
            host.OnRequest((in Ping ping, Peer _) => new Pong(ping.Number));
        }, options);
        await using var client = await MessageHost.ConnectAsync(Endpoint, options: options);
        await Signal.UntilAsync(() => client.Server.RoundTripTime > TimeSpan.Zero && server.Peers.Single().RoundTripTime > TimeSpan.Zero); // the next ping is due after a day

        _transport.Loss = Loss;
        for (var i = 0; i < Events; i++)
        {
            Assert.Equal(SendStatus.Sent, client.Send(new Note($"{i}")));
            if (i % 10 == 9)
                Assert.Equal(new Pong(i), await client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
        }

        var up = new Random(Seed + 1);
        var expected = Enumerable.Range(0, Events).Where(_ => up.NextDouble() >= Loss).Select(static i => $"{i}").ToList();
        Assert.InRange(expected.Count, 140, 180);
        Assert.Equal(expected, handled); // the last request arrived after them
        Assert.Equal(Events - expected.Count, _transport.LostFrames);
    }

    private MessageEndpoint Endpoint => MessageEndpoint.Over(_transport, "host");
}
