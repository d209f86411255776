using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class FaultTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_handler_that_throws_is_reported_here_and_answered_there_without_its_text(bool isAsync)
    {
        var failed = Signal.New<HandlerFailure>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.HandlerFailed += failed.SetResult;
            if (isAsync)
                server.OnRequest<Ping, Pong>(async (_, _, _) => { await Task.Yield(); throw new InvalidOperationException("the password is 1234"); });
            else
                server.OnRequest<Ping, Pong>(_ => throw new InvalidOperationException("the password is 1234"));
        });

        var fault = await FaultOf(hosts.Client);
        var failure = await failed.Task.InTime();

        Assert.Equal(FaultCode.HandlerFailed, fault.Code);
        Assert.DoesNotContain("1234", fault.ToString(), StringComparison.Ordinal);
        Assert.Equal("the password is 1234", failure.Exception.Message);
        Assert.Equal(1u, failure.Type);
        Assert.Equal((1, 1), (hosts.Server.GetStatistics().HandlerFailures, hosts.Server.GetStatistics().FaultsSent));
    }

    [Fact]
    public async Task An_exception_that_says_canceled_where_nothing_was_is_a_failure_like_any_other()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest<Ping, Pong>(_ => throw new TaskCanceledException()));

        Assert.Equal(FaultCode.HandlerFailed, (await FaultOf(hosts.Client)).Code);
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task A_fault_of_the_handlers_choosing_arrives_as_it_is_and_is_no_failure()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
            server.OnRequest<Ping, Pong>(_ => throw new RequestFaultException(1234, "Not on Sundays. Ä")));

        var fault = await FaultOf(hosts.Client);

        Assert.Equal((1234, "Not on Sundays. Ä"), (fault.Code, fault.Message));
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Control_characters_of_a_received_text_are_replaced()
    {
        const string Hostile = "a\u001b[2J\u0007\u007f\u009bz\tb\r\nc";
        const string Shown = "a\uFFFD[2J\uFFFD\uFFFD\uFFFDz\tb\r\nc";
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
            server.OnRequest<Ping, Pong>(async (ping, peer, canceled) =>
            {
                _ = peer.KickAsync(Hostile);
                await Task.Delay(Timeout.Infinite, canceled);
                return default;
            }));

        var ended = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        Assert.Contains($"(\"{Shown}\")", ended.Message, StringComparison.Ordinal);
        Assert.Equal(Shown, hosts.Client.Server.GoodbyeText);
        Assert.Equal(Shown, Fault.TryRead(Fault.Write(1234, Hostile, 1024))!.Message);
        var mismatch = new ContractDescriptor(1, Hostile, Hostile, 1, []).FindDifference(MessageContract.GetDeclared<Ping>(), null, 0, 0)!.OurView.ToString();
        Assert.Contains($"on this side, {Shown} on the remote side", mismatch, StringComparison.Ordinal);
        Assert.Contains($"here and {Shown} there", mismatch, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_long_text_is_cut_to_what_the_limits_allow()
    {
        var options = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 128 } };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest<Ping, Pong>(_ => throw new RequestFaultException(1000, new string('ä', 5000))),
            options: options);

        var fault = await FaultOf(hosts.Client);

        Assert.Equal(new string('ä', fault.Message.Length), fault.Message);
        Assert.InRange(fault.Message.Length, 30, 64);
    }

    [Fact]
    public async Task A_request_that_nobody_handles_is_refused()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0));

        Assert.Equal(FaultCode.NoHandler, (await FaultOf(hosts.Client)).Code);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_for_which_there_is_a_handler_of_events_is_refused_and_counted(bool isAsync)
    {
        var called = false;
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
        {
            if (isAsync)
                server.On<Ping>((_, _) => { called = true; return default; });
            else
                server.On((in Ping _, Peer _) => called = true);
        });

        Assert.Equal(FaultCode.NoHandler, (await FaultOf(hosts.Client)).Code);
        Assert.False(called);
        Assert.Equal(1, hosts.Server.GetStatistics().MisdirectedMessages);
    }

    [Fact]
    public async Task An_event_for_which_there_is_a_handler_of_requests_is_dropped_and_counted()
    {
        var called = 0;
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => { called++; return new Pong(ping.Number); }));

        hosts.Client.Send(new Ping(1));
        await hosts.Client.RequestAsync<Ping, Pong>(default).AsTask().InTime();

        Assert.Equal(1, called);
        Assert.Equal(1, hosts.Server.GetStatistics().MisdirectedMessages);
    }

    [Fact]
    public async Task A_request_that_cant_be_read_is_refused_and_counted()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync(RawPeer.Frame(MessageKind.Request, 1, 77, 0xFF));
        var (header, payload) = await raw.ReceiveAsync();

        Assert.Equal((MessageKind.Fault, 77u), (header.Kind, header.CorrelationId));
        Assert.Equal((byte)FaultCode.InvalidRequest, payload[0]);
        Assert.Equal(1, server.GetStatistics().MalformedMessages);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reply_that_cant_be_sent_is_a_fault(bool isTooLarge)
    {
        var broken = isTooLarge ? new MessageContract<Note>(62, new NoteSerializer()) : new MessageContract<Note>(62, new ThrowingSerializer<Note>(onWrite: true));
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
            server.OnRequest(MessageContract.GetDeclared<Ping>(), broken, (in Ping _, Peer _) => new Note(new string('x', 2_000_000))));

        Assert.Equal(FaultCode.ReplyFailed, (await FaultOf(hosts.Client)).Code);
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_fault_carries_the_requests_type(bool isCanceled)
    {
        var broken = new MessageContract<Note>(62, new ThrowingSerializer<Note>(onWrite: true));
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            if (isCanceled)
                server.OnRequest<Ping, Pong>(async (_, _, canceled) => { await Task.Delay(Timeout.Infinite, canceled); return default; });
            else
                server.OnRequest(MessageContract.GetDeclared<Ping>(), broken, (in Ping _, Peer _) => new Note(""));
        });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync(RawPeer.Request(new Ping(1), 77));
        if (isCanceled)
            await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 4, 0, 77));
        var (header, payload) = await raw.ReceiveAsync();

        Assert.Equal((MessageKind.Fault, 1u, 77u), (header.Kind, header.Type, header.CorrelationId));
        Assert.Equal((byte)(isCanceled ? FaultCode.Canceled : FaultCode.ReplyFailed), payload[0]);
    }

    private static async Task<RequestFaultException> FaultOf(MessageClient client)
    {
        var result = await client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime();
        Assert.Equal(RequestStatus.Faulted, result.Status);
        return result.Fault!;
    }

    private sealed class NoteSerializer : IMessageSerializer<Note>
    {
        public string Name => "note";

        public void Serialize(in Note value, MessageBuffer buffer) => buffer.WriteString(value.Text);

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out Note value)
        {
            value = new Note("");
            return true;
        }
    }
}
