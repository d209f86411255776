using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Each of these peers is gone for a reason that is counted, and a good one beside it goes on.</summary>
public sealed class HostilePeerTests
{
    [Fact]
    public Task One_that_is_killed_in_the_middle_of_a_frame_is_lost() =>
        Expect(DisconnectReason.ConnectionLost, async raw =>
        {
            await raw.SendAsync([.. RawPeer.Length(1000), 1, 2, 3]);
            raw.Kill();
        });

    [Fact]
    public Task One_that_hangs_up_without_a_goodbye_is_lost() =>
        Expect(DisconnectReason.ConnectionLost, raw =>
        {
            raw.Dispose();
            return Task.CompletedTask;
        });

    [Fact]
    public Task One_that_announces_too_large_a_frame_is_gone_before_it_sends_it() =>
        Expect(DisconnectReason.FrameTooLarge, raw => raw.SendAsync(RawPeer.Length((1 << 20) + 1)));

    [Fact]
    public Task One_whose_frame_has_no_length_is_malformed() =>
        Expect(DisconnectReason.Malformed, raw => raw.SendAsync([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]));

    [Theory]
    [InlineData(MessageKind.Event, 1u)]
    [InlineData(MessageKind.Request, 1u)]
    [InlineData(MessageKind.Control, 0u)]
    [InlineData(MessageKind.Control, 2u)]
    [InlineData(MessageKind.Control, 4u)]
    public Task One_that_sends_more_than_sixteen_messages_that_cant_be_read_is_malformed(MessageKind kind, uint type) =>
        Expect(DisconnectReason.Malformed, async raw =>
        {
            for (var i = 0; i < 17; i++)
                await raw.SendAsync(RawPeer.Frame(kind, type, 0, 0xFF));
        });

    [Fact]
    public async Task Control_messages_of_a_later_version_are_ignored_and_counted()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        for (var i = 0; i < 40; i++)
            await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 99, 0, 0xFF));
        await raw.SendAsync(RawPeer.Request(new Ping(1), 5));
        while ((await raw.ReceiveAsync()).Header.Kind != MessageKind.Reply)
        {
        }

        Assert.Equal((40, 0), (server.GetStatistics().UnknownControlMessages, server.GetStatistics().MalformedMessages));
    }

    [Fact]
    public Task One_that_asks_and_never_reads_the_replies_is_gone() =>
        Expect(DisconnectReason.RepliesUnread, raw => Flood(raw, RawPeer.Request(new Ping(1), 5), 3000));

    [Fact]
    public Task One_that_pings_and_never_reads_the_pongs_is_gone() =>
        Expect(DisconnectReason.RepliesUnread, raw => Flood(raw, RawPeer.Frame(MessageKind.Control, 1, 0, new byte[64]), 500));

    [Fact]
    public async Task One_that_says_nothing_any_more_is_gone()
    {
        var options = new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromMinutes(1), PingInterval = TimeSpan.FromMilliseconds(50) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        await using var good = await MessageHost.ConnectAsync(server.Endpoint);
        var answering = await server.Connection().InTime();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2);
        var silent = server.Peers.Single(peer => peer != answering);
        var gone = server.Disconnection();

        var silence = TimeSpan.FromSeconds(40); // a peer may be silent for this time once, and not twice
        var begun = server.Resources.Clock.Now;
        await silent.AddSilenceAsync(silence);
        await answering.AddSilenceAsync(silence);
        await Signal.UntilAsync(() => answering.Connection.KeepAlive.LastHeard is not long.MaxValue and var heard && heard > begun); // a pong
        await silent.AddSilenceAsync(silence);

        Assert.Equal(DisconnectReason.NotResponding, await gone.InTime());
        Assert.Equal(new Pong(8), await good.RequestAsync<Ping, Pong>(new Ping(8)).AsTask().InTime());
        Assert.Same(answering, Assert.Single(server.Peers));
    }

    [Fact]
    public async Task Answers_to_what_was_never_asked_change_nothing()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        foreach (var number in new[] { long.MinValue, long.MaxValue, -(1L << 62), 0, 1, Environment.TickCount64 })
            await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 2, 0, BitConverter.GetBytes(number)));
        for (var id = 0u; id < 100; id++)
        {
            await raw.SendAsync(RawPeer.Frame(MessageKind.Reply, 2, id * 0x1234567, 1));
            await raw.SendAsync(RawPeer.Frame(MessageKind.Fault, 2, id));
            await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 4, 0, (byte)id));
        }

        await raw.SendAsync(RawPeer.Request(new Ping(9), 3));
        while ((await raw.ReceiveAsync()).Header.Kind != MessageKind.Reply)
            continue;
        Assert.Equal(200, server.GetStatistics().LateReplies);
        Assert.Equal(TimeSpan.Zero, Assert.Single(server.Peers).RoundTripTime);
    }

    [Fact]
    public async Task Requests_under_one_id_are_answered_each_and_their_handlers_still_hear_of_the_end()
    {
        using var ended = new CountdownEvent(3);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest<Ping, Pong>(async (ping, _, token) =>
        {
            if (ping.Number == 0)
                return new Pong(0);
            token.Register(() => ended.Signal());
            await Task.Delay(Timeout.Infinite, token);
            return default;
        }));
        var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        foreach (var number in new[] { 1, 2, 3, 0 })
            await raw.SendAsync(RawPeer.Request(new Ping(number), 5));
        while ((await raw.ReceiveAsync()).Header.Kind != MessageKind.Reply)
            continue;
        raw.Kill();

        await Deadline.RunAside(() => Assert.True(ended.Wait(Deadline.Length))).InTime();
    }

    private static async Task Flood(RawPeer raw, byte[] message, int rounds)
    {
        var many = Enumerable.Repeat(message, 2000).SelectMany(bytes => bytes).ToArray();
        try
        {
            for (var i = 0; i < rounds; i++) // more than the system's buffers and the limit hold
                await raw.SendAsync(many);
        }
        catch (System.IO.IOException)
        {
            return; // it hung up: what was waited for
        }
    }

    private static async Task Expect(DisconnectReason expected, Func<RawPeer, Task> attack)
    {
        var limits = new HostLimits { MaxPendingBytes = 64 * 1024 };
        var options = new MessageHostOptions { Limits = limits, KeepAliveTimeout = TimeSpan.FromMinutes(1) };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.OnRequest((Ping ping) => new Pong(ping.Number));
            },
            serverOptions: options);
        using var raw = await RawPeer.HandshakeAsync(hosts.Server.Endpoint);
        await Signal.UntilAsync(() => hosts.Server.Peers.Count == 2);
        var gone = hosts.Server.Disconnection();

        await attack(raw);

        Assert.Equal(expected, await gone.InTime());
        Assert.Equal(1, hosts.Server.GetCount(expected));
        Assert.Equal(new Pong(8), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(8)).AsTask().InTime());
        Assert.Single(hosts.Server.Peers);
    }
}
