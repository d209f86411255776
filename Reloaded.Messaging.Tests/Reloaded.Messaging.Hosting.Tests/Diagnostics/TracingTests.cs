using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>The listener hears the spans of the whole process, so nothing else may run.</summary>
[Quiet]
public sealed class TracingTests : IDisposable
{
    private static readonly MessageHostOptions s_carrying = new() { CarriesTraceContext = true };

    private readonly SpanRecorder _spans = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_of_request_runs_in_span_below_span_of_request(bool isAsync)
    {
        Activity? inHandler = null;
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            if (isAsync)
                server.OnRequest(async (Ping ping, Peer _, CancellationToken _) => { await Task.Yield(); inHandler = Activity.Current; return new Pong(ping.Number); });
            else
                server.OnRequest((Ping ping) => { inHandler = Activity.Current; return new Pong(ping.Number); });
        }, options: s_carrying);
        using var outer = new Activity("outer").Start();

        await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));

        var request = await _spans.GetAsync("Ping", ActivityKind.Client);
        var handled = await _spans.GetAsync("Ping", ActivityKind.Server);
        Assert.Same(outer, Activity.Current);
        Assert.Same(handled, inHandler);
        Assert.Equal((outer.TraceId, outer.SpanId), (request.TraceId, request.ParentSpanId));
        Assert.Equal((outer.TraceId, request.SpanId, true), (handled.TraceId, handled.ParentSpanId, handled.HasRemoteParent));
        Assert.Equal("Replied", handled.GetTagItem("rpc.response.status_code"));
        Assert.Equal(("reloaded.messaging", "Ping", "Replied"), (request.GetTagItem("rpc.system.name"), request.GetTagItem("rpc.method"), request.GetTagItem("rpc.response.status_code")));
    }

    [Fact]
    public async Task Traced_request_that_has_ended_keeps_no_host_alive()
    {
        var client = await RequestAsync();

        await Signal.UntilAsync(() =>
        {
            GC.Collect();
            return !client.IsAlive;
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_of_event_runs_in_span_below_span_of_send(bool isPumped)
    {
        var handled = Signal.New<Activity>();
        await using var hosts = await HostPair.ConnectAsync(
            Next(),
            server => server.On((in Note _, Peer _) => handled.TrySetResult(Activity.Current!)),
            serverOptions: new MessageHostOptions { CarriesTraceContext = true, IsPumped = isPumped },
            clientOptions: s_carrying);
        using var outer = new Activity("outer") { TraceStateString = "vendor=1" }.Start();

        hosts.Client.Send(new Note("traced"));

        if (isPumped)
            await Signal.UntilAsync(() => hosts.Server.Pump().Handled > 0);
        var inHandler = await handled.Task.InTime();
        var send = await _spans.GetAsync("send Note", ActivityKind.Producer);
        Assert.Equal(outer.SpanId, send.ParentSpanId);
        Assert.Equal(("process Note", send.TraceId, send.SpanId, "vendor=1"), (inHandler.DisplayName, inHandler.TraceId, inHandler.ParentSpanId, inHandler.TraceStateString));
        Assert.Equal(("reloaded.messaging", "send", "Note"), (send.GetTagItem("messaging.system"), send.GetTagItem("messaging.operation.name"), send.GetTagItem("messaging.destination.name")));
    }

    [Fact]
    public async Task Broadcast_is_one_span_and_parent_of_all_handlers()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), client: static client => client.On((in Note _, Peer _) => { }), options: s_carrying);
        await using var second = await MessageHost.ConnectAsync(hosts.Server.Endpoint, static client => client.On((in Note _, Peer _) => { }), s_carrying);

        Assert.Equal(2, hosts.Server.Broadcast(new Note("all")));

        await Signal.UntilAsync(() => _spans.Ended.Length == 3);
        var send = Assert.Single(_spans.Ended, static span => span.Kind == ActivityKind.Producer);
        Assert.All(_spans.Ended.Where(static span => span.Kind == ActivityKind.Consumer), span => Assert.Equal(send.SpanId, span.ParentSpanId));
    }

    [Fact]
    public async Task Failed_handler_and_faulted_request_have_error_status()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.OnRequest((Ping _) => (Pong)(object)"no pong"), options: s_carrying);

        await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1));

        var request = await _spans.GetAsync("Ping", ActivityKind.Client);
        var handled = await _spans.GetAsync("Ping", ActivityKind.Server);
        Assert.Equal((ActivityStatusCode.Error, "Faulted"), (request.Status, request.GetTagItem("error.type")));
        Assert.Equal((ActivityStatusCode.Error, "System.InvalidCastException"), (handled.Status, handled.GetTagItem("error.type")));
        Assert.Equal((request.SpanId, null), (handled.ParentSpanId, handled.TraceStateString)); // no empty state
    }

    [Fact]
    public async Task Request_without_handler_has_the_name_of_the_error_and_the_address_of_the_peer()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0));

        await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1));

        var handled = await _spans.GetAsync("_OTHER", ActivityKind.Server);
        Assert.Equal(("NoHandler", "127.0.0.1"), (handled.GetTagItem("error.type"), handled.GetTagItem("network.peer.address")));
        var request = await _spans.GetAsync("Ping", ActivityKind.Client);
        Assert.All(["network.peer", "server"], prefix => Assert.Equal(("127.0.0.1", hosts.Server.Endpoint.Port), (request.GetTagItem($"{prefix}.address"), request.GetTagItem($"{prefix}.port"))));
        Assert.Equal("3.0.0", request.Source.Version);
        Assert.Same(request.GetTagItem("server.port"), request.GetTagItem("network.peer.port")); // the name of the peer is parsed once
    }

    [Fact]
    public async Task Request_without_reply_ends_as_timed_out()
    {
        var never = Signal.New<Pong>();
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.OnRequest((Ping _, Peer _, CancellationToken _) => new ValueTask<Pong>(never.Task)));

        await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(1));

        Assert.Equal("TimedOut", (await _spans.GetAsync("Ping", ActivityKind.Client)).GetTagItem("error.type"));
        never.SetResult(new Pong(1));
        Assert.Equal(ActivityStatusCode.Unset, (await _spans.GetAsync("Ping", ActivityKind.Server)).Status);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Context_is_only_sent_if_both_sides_enable_it(bool onServer, bool onClient)
    {
        var sent = new ConcurrentQueue<uint>();
        await using var hosts = await HostPair.ConnectAsync(
            Next(),
            server => server.OnRequest((Ping ping) => new Pong(ping.Number)),
            client => client.Tap((in TappedMessage message) => sent.Enqueue(message.Header.Type)),
            serverOptions: new MessageHostOptions { CarriesTraceContext = onServer },
            clientOptions: new MessageHostOptions { CarriesTraceContext = onClient });

        await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));

        Assert.DoesNotContain(LibraryTypes.TraceContext, sent);
        var handled = await _spans.GetAsync("Ping", ActivityKind.Server);
        Assert.Equal(default, handled.ParentSpanId);
    }

    [Fact]
    public async Task Nothing_comes_between_context_and_message_of_many_threads()
    {
        var handled = 0;
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => Interlocked.Increment(ref handled)), options: s_carrying);

        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            for (var i = 0; i < 250; i++)
                await hosts.Client.SendAsync(new Ping(i));
        })));

        await Signal.UntilAsync(() => _spans.Ended.Length == 2000);
        Assert.Equal(1000, handled);
        Assert.Equal(0, hosts.Server.GetStatistics().DroppedTraceContexts);
        var sent = _spans.Ended.Where(static span => span.Kind == ActivityKind.Producer).Select(static span => span.SpanId).ToHashSet();
        Assert.Equal(sent, _spans.Ended.Where(static span => span.Kind == ActivityKind.Consumer).Select(static span => span.ParentSpanId).ToHashSet());
    }

    [Fact]
    public async Task Over_udp_requests_have_context_and_events_have_none()
    {
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Udp(0),
            server =>
            {
                server.On((in Note _, Peer _) => { });
                server.OnRequest((Ping ping) => new Pong(ping.Number));
            },
            options: s_carrying);

        hosts.Client.Send(new Note("event"));
        await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));

        var request = await _spans.GetAsync("Ping", ActivityKind.Client);
        Assert.Equal(request.SpanId, (await _spans.GetAsync("Ping", ActivityKind.Server)).ParentSpanId);
        Assert.Equal(default, (await _spans.GetAsync("process Note", ActivityKind.Consumer)).ParentSpanId);
    }

    [Fact]
    public async Task Invalid_contexts_are_counted_and_their_messages_handled()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => { }), s_carrying);
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var parent = Enumerable.Repeat((byte)1, TraceContext.ParentSize).ToArray();
        byte[][] contexts =
        [
            [], // empty
            [1], // without a correlation id
            [1, 0, .. new byte[TraceContext.ParentSize]], // zero ids
            [1, 0, .. parent[..^1]], // truncated
            [1, 0, .. parent, .. new byte[TraceContext.MaxState + 1]], // a state that is too large
            [1, 0, .. parent, (byte)'\n'], // a state that is not printable
            [2, 0, .. parent], // of another type
            [1, 9, .. parent], // of another request
        ];

        foreach (var context in contexts)
            await raw.SendAsync([.. RawPeer.Frame(MessageKind.Event, LibraryTypes.TraceContext, 0, context), .. RawPeer.Frame(MessageKind.Event, 1, 0, 1, 0, 0, 0)]);
        await raw.SendAsync(RawPeer.Frame(MessageKind.Event, LibraryTypes.TraceContext, 0, [1, 0, .. parent])); // of no message
        await raw.SendAsync([.. RawPeer.Frame(MessageKind.Event, LibraryTypes.TraceContext, 0, [1, 0, .. parent]), .. RawPeer.Frame(MessageKind.Event, 1, 0, 1, 0, 0, 0)]);

        await Signal.UntilAsync(() => _spans.Ended.Length > contexts.Length);
        Assert.Equal(contexts.Length + 1, server.GetStatistics().DroppedTraceContexts);
        var valid = Assert.Single(_spans.Ended, static span => span.HasRemoteParent);
        Assert.Equal("0101010101010101", valid.ParentSpanId.ToString());
        Assert.Equal(0, server.GetStatistics().MalformedMessages);
    }

    [Fact]
    public async Task Span_of_a_send_has_the_status_if_the_message_was_not_sent()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.On((in Note _, Peer _) => { }));

        Assert.Equal(SendStatus.Sent, hosts.Client.Send(new Note("sent")));
        await hosts.Client.DisposeAsync();
        var status = hosts.Client.Send(new Ping(1));

        var (sent, unsent) = (await _spans.GetAsync("send Note", ActivityKind.Producer), await _spans.GetAsync("send Ping", ActivityKind.Producer));
        Assert.NotEqual(SendStatus.Sent, status);
        Assert.Equal((null, status.ToString()), (sent.GetTagItem("error.type"), unsent.GetTagItem("error.type")));
        Assert.Equal((ActivityStatusCode.Unset, ActivityStatusCode.Error), (sent.Status, unsent.Status));
    }

    [Fact]
    public async Task Id_of_unknown_type_is_not_a_name()
    {
        await using var hosts = await HostPair.ConnectAsync(Next());

        hosts.Client.Send(new Ping(1));

        Assert.Equal("NoHandler", (await _spans.GetAsync("process _OTHER", ActivityKind.Consumer)).GetTagItem("error.type"));
    }

    public void Dispose() => _spans.Dispose();

    /// <summary>Requests a reply of a type that no other test requests, so that the pool of its requests keeps the last one.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> RequestAsync()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), static server => server.OnRequest(static (Ping ping) => new Traced(ping.Number)));
        await hosts.Client.RequestAsync<Ping, Traced>(new Ping(1));
        return new WeakReference(hosts.Client);
    }

    private static MessageEndpoint Next() => MessageEndpoint.InProcess($"tracing-{Guid.NewGuid():N}");

    [Message(9033)]
    internal sealed record Traced(int Number);
}
