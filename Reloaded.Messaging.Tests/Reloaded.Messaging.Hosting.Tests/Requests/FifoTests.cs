using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>Peers without correlation ids: programs that frame their messages some other way, and match by order.</summary>
public sealed class FifoTests
{
    private static readonly MessageEndpoint s_endpoint = MessageEndpoint.Tcp(0) with { LengthPrefix = LengthPrefix.UInt16BigEndian };

    [Theory]
    [InlineData(LengthPrefix.UInt16LittleEndian)]
    [InlineData(LengthPrefix.UInt16BigEndian)]
    [InlineData(LengthPrefix.UInt32LittleEndian)]
    [InlineData(LengthPrefix.UInt32BigEndian)]
    public async Task Requests_and_events_pass(LengthPrefix prefix)
    {
        var noted = Signal.New<string>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0) with { LengthPrefix = prefix },
            server =>
            {
                server.On((in Note note, Peer _) => noted.SetResult(note.Text));
                server.OnRequest((Ping ping) => new Pong(-ping.Number));
            });

        var replies = await Task.WhenAll(Enumerable.Range(0, 500).Select(i => hosts.Client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask())).InTime();
        hosts.Client.Send(new Note("hello"));

        Assert.Equal(Enumerable.Range(0, 500).Select(i => new Pong(-i)), replies);
        Assert.Equal("hello", await noted.Task.InTime());
    }

    [Fact]
    public async Task A_message_whose_length_two_bytes_cant_say_is_refused_before_it_is_sent()
    {
        await using var hosts = await HostPair.ConnectAsync(s_endpoint);
        await hosts.Server.Connection().InTime();
        using var packed = new MessageWriter().PackRaw(new MessageHeader(1, MessageKind.Event), new byte[65_536]);
        var everyone = default(AcceptAllPeers);

        var refusal = Assert.Throws<MessageTooLargeException>(() => hosts.Client.Server.Send(packed));

        Assert.Equal((65_537, 65_535), (refusal.Size, refusal.Limit));
        Assert.Contains("two bytes", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(65_535, hosts.Client.Server.MaxMessageSize);
        Assert.Equal(0, hosts.Server.AllPeers.BroadcastPacked(packed, ref everyone));
    }

    [Fact]
    public async Task Nothing_but_the_short_messages_is_on_the_wire()
    {
        await using var server = await MessageHost.ListenAsync(s_endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number + 1)));
        using var program = await RawPeer.ConnectAsync(server.Endpoint);

        await program.SendAsync([0, 5, 1, 41, 0, 0, 0]);

        Assert.Equal([0, 5, 2, 42, 0, 0, 0], await program.ReceiveAsync(7));
        await server.DisposeAsync();
        Assert.Empty(await program.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Replies_leave_in_the_order_of_the_requests()
    {
        var gates = Enumerable.Range(0, 4).Select(_ => new TaskCompletionSource()).ToArray();
        var started = new CountdownEvent(4);
        await using var server = await MessageHost.ListenAsync(
            s_endpoint,
            server => server.OnRequest<Ping, Pong>(async (ping, _, _) =>
            {
                started.Signal();
                await gates[ping.Number].Task;
                return ping.Number == 2 ? throw new InvalidOperationException("the third fails") : new Pong(ping.Number);
            }));
        using var program = await RawPeer.ConnectAsync(server.Endpoint);
        for (byte i = 0; i < 4; i++)
            await program.SendAsync([0, 5, 1, i, 0, 0, 0]);
        Assert.True(started.Wait(Deadline.Length, TestContext.Current.CancellationToken));

        foreach (var gate in gates.Reverse())
            gate.SetResult();

        Assert.Equal([0, 5, 2, 0, 0, 0, 0], await program.ReceiveAsync(7));
        Assert.Equal([0, 5, 2, 1, 0, 0, 0], await program.ReceiveAsync(7));
        var length = await program.ReceiveAsync(2);
        Assert.True(MessageHeader.TryRead(await program.ReceiveAsync((length[0] << 8) | length[1]), out var fault, out _) == HeaderStatus.Ok);
        Assert.Equal((MessageKind.Fault, 1u, 0u), (fault.Kind, fault.Type, fault.CorrelationId));
        Assert.Equal([0, 5, 2, 3, 0, 0, 0], await program.ReceiveAsync(7));
    }

    [Fact]
    public async Task A_request_that_timed_out_swallows_its_late_reply()
    {
        var (client, peers) = await ConnectAsync();
        await using var _ = client;
        using var program = peers;

        await Assert.ThrowsAsync<TimeoutException>(() => client.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(1)).AsTask());
        var second = client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask();
        await program.SendAsync([0, 5, 2, 1, 0, 0, 0, 0, 5, 2, 2, 0, 0, 0]);

        Assert.Equal(new Pong(2), await second.InTime());
        Assert.Equal(1, client.GetStatistics().LateReplies);
    }

    [Fact]
    public async Task A_canceled_request_keeps_its_place_and_sends_nothing_more()
    {
        var (client, program) = await ConnectAsync();
        await using var _ = client;
        using var __ = program;
        using var cancel = new CancellationTokenSource();

        var first = client.RequestAsync<Ping, Pong>(new Ping(1), cancellationToken: cancel.Token).AsTask();
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        var second = client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask();

        Assert.Equal([0, 5, 1, 1, 0, 0, 0, 0, 5, 1, 2, 0, 0, 0], await program.ReceiveAsync(14));
        await program.SendAsync([0, 5, 2, 1, 0, 0, 0, 0, 5, 2, 2, 0, 0, 0]);
        Assert.Equal(new Pong(2), await second.InTime());
    }

    [Fact]
    public async Task Those_that_timed_out_count_as_unanswered()
    {
        var (client, program) = await ConnectAsync(new HostLimits { MaxUnansweredRequests = 2 });
        await using var _ = client;
        using var __ = program;

        for (var i = 0; i < 2; i++)
            Assert.Equal(RequestStatus.TimedOut, (await client.TryRequestAsync<Ping, Pong>(new Ping(i), TimeSpan.FromMilliseconds(1))).Status);

        Assert.Equal(RequestStatus.Full, (await client.TryRequestAsync<Ping, Pong>(new Ping(3))).Status);
    }

    [Fact]
    public async Task Wait_for_room_ends_when_the_late_reply_of_a_request_that_timed_out_comes()
    {
        var (client, program) = await ConnectAsync(new HostLimits { MaxUnansweredRequests = 1 });
        await using var _ = client;
        using var __ = program;
        Assert.Equal(RequestStatus.TimedOut, (await client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(1))).Status);
        Assert.Equal(RequestStatus.Full, (await client.TryRequestAsync<Ping, Pong>(new Ping(2))).Status);

        var room = client.Server.Requests.WaitForRoomAsync(1);

        Assert.False(room.IsCompleted);
        await program.SendAsync([0, 5, 2, 1, 0, 0, 0]);
        await room.InTime();
        var third = client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask();
        await program.SendAsync([0, 5, 2, 3, 0, 0, 0]);
        Assert.Equal(new Pong(3), await third.InTime());
    }

    [Fact]
    public async Task What_is_not_the_reply_that_is_waited_for_is_an_event()
    {
        var noted = Signal.New<string>();
        var (client, program) = await ConnectAsync(configure: client => client.On((in Note note, Peer _) => noted.SetResult(note.Text)));
        await using var _ = client;
        using var __ = program;
        using var note = new MessageWriter().Pack(new Note("meanwhile"));

        var asked = client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await program.SendAsync([0, (byte)note.Length, .. note.Span, 0, 5, 2, 9, 0, 0, 0]);

        Assert.Equal(new Pong(9), await asked.InTime());
        Assert.Equal("meanwhile", await noted.Task.InTime());
    }

    [Theory]
    [InlineData(MessageKind.Request)]
    [InlineData(MessageKind.Reply)]
    [InlineData(MessageKind.Control)]
    [InlineData(MessageKind.Fault)]
    public async Task What_only_hosts_say_to_each_other_is_malformed(MessageKind kind)
    {
        var options = new MessageHostOptions { Limits = new HostLimits { MaxMalformedMessages = 1 } };
        await using var server = await MessageHost.ListenAsync(s_endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        var gone = server.Disconnection();
        using var program = await RawPeer.ConnectAsync(server.Endpoint);
        using var packed = new MessageWriter().PackRaw(new MessageHeader(1, kind, kind == MessageKind.Control ? 0u : 7u), [1, 0, 0, 0]);
        byte[] frame = [0, (byte)packed.Length, .. packed.Span];

        await program.SendAsync([.. frame, .. frame]);

        Assert.Equal(DisconnectReason.Malformed, await gone.InTime());
        Assert.Equal(2, server.GetStatistics().MalformedMessages);
    }

    [Fact]
    public async Task Silence_is_no_reason_to_hang_up()
    {
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(1), KeepAliveTimeout = TimeSpan.FromMilliseconds(1) };
        await using var hosts = await HostPair.ConnectAsync(s_endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options: options);

        Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        // A request that nobody answers takes ticks of the same timer that would ping.
        for (var i = 0; i < 3; i++)
            await hosts.Client.TryRequestAsync<Note, Pong>(new Note(""), TimeSpan.FromMilliseconds(60));

        Assert.True(hosts.Client.Server.IsConnected);
        Assert.Equal(0, hosts.Client.GetCount(DisconnectReason.NotResponding) + hosts.Server.GetCount(DisconnectReason.NotResponding));
    }

    [Fact]
    public async Task A_message_that_two_bytes_cannot_measure_is_refused()
    {
        var (client, program) = await ConnectAsync();
        await using var _ = client;
        using var __ = program;

        var error = Assert.Throws<MessageTooLargeException>(() => client.Send(new Note(new string('x', 70_000))));

        Assert.Equal(65535, error.Limit);
    }

    [Fact]
    public async Task Another_machine_is_refused()
    {
        var endpoint = MessageEndpoint.Tcp("192.0.2.1", 1) with { LengthPrefix = LengthPrefix.UInt16BigEndian };

        var listening = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(endpoint));
        var connecting = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ConnectAsync(endpoint));

        Assert.Contains("loopback", listening.Message, StringComparison.Ordinal);
        Assert.Contains("loopback", connecting.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_that_nobody_would_prove_is_refused()
    {
        var options = new MessageHostOptions { Token = new byte[16] };

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(s_endpoint, options: options));

        Assert.Contains("Token", error.Message, StringComparison.Ordinal);
    }

    /// <summary>A client, and the program that it is connected to.</summary>
    private static async Task<(MessageClient Client, RawPeer Program)> ConnectAsync(HostLimits? limits = null, Action<MessageClient>? configure = null)
    {
        using var listener = new RawListener();
        var accepting = listener.AcceptAsync();
        var client = await MessageHost.ConnectAsync(
            s_endpoint with { Port = listener.Port },
            configure,
            new MessageHostOptions { Limits = limits ?? HostLimits.Default });
        return (client, await accepting);
    }
}
