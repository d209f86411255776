using System.Linq;
using System.Threading.Channels;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

public sealed class RequestProgressLimitTests
{
    private const uint ReportPull = 0xFFFF002A;
    private const uint Block = 0xFFFF0022;

    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"request-progress-limits-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task Further_request_with_reports_runs_without_them()
    {
        var (started, ended, failed) = (Signal.New<bool>(), Signal.New<bool>(), Signal.New<Exception>());
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnRequest(async (Compact request, IProgress<Done> progress, CancellationToken _) =>
        {
            progress.Report(new Done(1));
            started.TrySetResult(true);
            if (request.Name == "first")
                await ended.Task;
        }), serverOptions: new MessageHostOptions { Limits = new HostLimits { MaxStreams = 1 } });
        hosts.Client.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
        var (one, other, third) = (new Reports(), new Reports(), new Reports());
        var first = hosts.Client.RequestAsync(new Compact("first"), one);
        await started.Task.InTime();

        await hosts.Client.RequestAsync(new Compact("second"), other).InTime();
        ended.SetResult(true);
        await first.InTime();
        await hosts.Client.RequestAsync(new Compact("third"), third).InTime();

        Assert.Equal((1, 0, 1), (one.Take().Count, other.Take().Count, third.Take().Count));
        Assert.Contains("the limit is 1", (await failed.Task.InTime()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Report_arrives_after_a_request_for_it_had_no_room()
    {
        var (steps, seen, isOther) = (Channel.CreateUnbounded<int>(), Channel.CreateUnbounded<int>(), Signal.New<bool>());
        await using var hosts = await HostPair.ConnectAsync(
            _endpoint,
            host =>
            {
                host.OnRequest(async (Compact _, IProgress<Done> progress, CancellationToken token) =>
                {
                    await foreach (var step in steps.Reader.ReadAllAsync(token))
                        progress.Report(new Done(step));
                });
                host.OnRequest(async (Ping ping) =>
                {
                    await isOther.Task;
                    return new Pong(ping.Number);
                });
            },
            clientOptions: new MessageHostOptions { Limits = new HostLimits { MaxUnansweredRequests = 3 } }); // the request, and two for reports
        var other = Task.FromResult(default(Pong));
        var running = hosts.Client.RequestAsync(new Compact(""), new Reports(number =>
        {
            if (number == 0)
                other = hosts.Client.RequestAsync<Ping, Pong>(new Ping(5)).AsTask(); // takes the place of the next request for a report
            seen.Writer.TryWrite(number);
        }));
        steps.Writer.TryWrite(0);
        Assert.Equal(0, await seen.Reader.ReadAsync().AsTask().InTime());
        steps.Writer.TryWrite(1);

        isOther.SetResult(true);

        Assert.Equal(1, await seen.Reader.ReadAsync().AsTask().InTime());
        Assert.Equal(new Pong(5), await other.InTime());
        steps.Writer.Complete();
        await running.InTime();
    }

    [Fact]
    public async Task Request_without_room_for_both_requests_for_reports_is_not_sent()
    {
        var calls = 0;
        await using var hosts = await HostPair.ConnectAsync(
            _endpoint,
            host => host.OnRequest((Compact _, IProgress<Done> _, CancellationToken _) =>
            {
                Interlocked.Increment(ref calls);
                return Task.CompletedTask;
            }),
            clientOptions: new MessageHostOptions { Limits = new HostLimits { MaxUnansweredRequests = 2 } });

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync(new Compact(""), new Reports()).InTime());

        await Signal.UntilAsync(() => hosts.Client.Server.Requests.Unanswered.Count == 0);
        Assert.Equal((RequestStatus.Full, 0, 0), (failure.Status, calls, Assert.Single(hosts.Server.Peers).Reports!.Count));
    }

    [Fact]
    public async Task Host_without_reports_refuses_them_and_replies()
    {
        var failed = Signal.New<Exception>();
        await using var hosts = await HostPair.ConnectAsync(_endpoint, static host => host.OnRequest(static (Pack request) => new Packed(request.Files)));
        hosts.Client.HandlerFailed += failure => failed.TrySetResult(failure.Exception);

        Assert.Equal(new Packed(3), await hosts.Client.RequestAsync(new Pack(3), new Reports()).InTime());
        Assert.Equal(FaultCode.NoHandler, Assert.IsType<RequestFaultException>(await failed.Task.InTime()).Code);
    }

    [Fact]
    public async Task Peer_with_another_contract_of_the_reports_is_not_sent_the_request()
    {
        var other = new MessageContract<Note>(MessageContract.GetDeclared<Done>().Type, MessageContract.GetDeclared<Note>().Serializer);
        await using var hosts = await HostPair.ConnectAsync(
            _endpoint,
            host => host.OnRequest(MessageContract.GetDeclared<Pack>(), other, MessageContract.GetDeclared<Packed>(), static (Pack request, IProgress<Note> _, Peer _, CancellationToken _) => Task.FromResult(new Packed(request.Files))));

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync(new Pack(1), new Reports()).InTime());

        Assert.Equal(RequestStatus.ContractMismatch, failure.Status);
    }

    [Fact]
    public async Task Report_that_is_too_large_throws_at_the_handler()
    {
        var refused = Signal.New<Exception>();
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnRequest((Compact _, IProgress<Note> progress, CancellationToken _) =>
        {
            refused.SetResult(Assert.Throws<MessageTooLargeException>(() => progress.Report(new Note(new string('x', 100_000)))));
            return Task.CompletedTask;
        }), serverOptions: new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 10_000 } });

        await hosts.Client.RequestAsync(new Compact(""), new Progress<Note>()).InTime();

        await refused.Task.InTime();
    }

    [Fact]
    public async Task Requests_for_reports_are_answered_as_specified()
    {
        var (started, next, ended) = (Signal.New<IProgress<Done>>(), Signal.New<bool>(), Signal.New<bool>());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => host.OnRequest(async (Compact _, IProgress<Done> progress, CancellationToken _) =>
        {
            started.SetResult(progress);
            await ended.Task;
        }));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await raw.SendAsync([.. Pull(1, 7, 2), .. Pull(2, 7, 2), .. Pull(3, 7, 1)]);
        var (third, thirdFault) = await raw.ReceiveAsync();
        await raw.SendAsync([.. RawPeer.Request(new Compact(""), 7), .. Pull(4, 8, 1)]);
        var (unknown, end) = await raw.ReceiveAsync();
        var progress = await started.Task.InTime();

        progress.Report(new Done(1));
        var (first, report) = await raw.ReceiveAsync();
        progress.Report(new Done(2));
        progress.Report(new Done(3));
        ended.SetResult(true);
        var (second, last) = await raw.ReceiveAsync();
        var (reply, _) = await raw.ReceiveAsync();

        Assert.Equal((MessageKind.Fault, 3u, FaultCode.InvalidRequest), (third.Kind, third.CorrelationId, thirdFault[0]));
        Assert.Equal((MessageKind.Reply, 4u, Block, "01"), (unknown.Kind, unknown.CorrelationId, unknown.Type, Convert.ToHexString(end)));
        Assert.Equal((1u, Block, "00" + Convert.ToHexString(RawPeer.Event(new Done(1)))), (first.CorrelationId, first.Type, Convert.ToHexString(report)));
        Assert.Equal((2u, Block, "01" + Convert.ToHexString(RawPeer.Event(new Done(3)))), (second.CorrelationId, second.Type, Convert.ToHexString(last)));
        Assert.Equal((MessageKind.Reply, 7u), (reply.Kind, reply.CorrelationId));
    }

    [Fact]
    public async Task Closed_reports_end_and_the_request_goes_on()
    {
        var (started, ended) = (Signal.New<IProgress<Done>>(), Signal.New<bool>());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => host.OnRequest(async (Compact _, IProgress<Done> progress, CancellationToken _) =>
        {
            started.SetResult(progress);
            await ended.Task;
        }));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await raw.SendAsync([.. Pull(1, 7, 2), .. Pull(2, 7, 2), .. RawPeer.Request(new Compact(""), 7)]);
        var progress = await started.Task.InTime();

        await raw.SendAsync(Pull(3, 7, 0));
        var answers = new[] { await raw.ReceiveAsync(), await raw.ReceiveAsync(), await raw.ReceiveAsync() };
        progress.Report(new Done(1));
        ended.SetResult(true);

        Assert.Equal([(1u, "01"), (2u, "01"), (3u, "01")], answers.Select(static one => (one.Header.CorrelationId, Convert.ToHexString(one.Payload))));
        Assert.Equal(7u, (await raw.ReceiveAsync()).Header.CorrelationId);
        Assert.Equal(1, server.GetStatistics().LateReplies);
    }

    /// <summary>The fault of a dropped request needs no pump. It ends the reports that were opened before.</summary>
    [Fact]
    public async Task Request_that_a_pumped_host_drops_leaves_no_open_reports()
    {
        var options = new MessageHostOptions { IsPumped = true, TimeProvider = new ManualTime(), Limits = new HostLimits { MessagesPerSecond = 5, OverflowAction = OverflowAction.Drop } };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static host => host.OnRequest(static (Compact _, IProgress<Done> _, CancellationToken _) => Task.CompletedTask), options);
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync([.. Pull(1, 7, 2), .. Pull(2, 7, 2), .. Enumerable.Range(0, 10).SelectMany(static i => RawPeer.Event(new Ping(i))), .. RawPeer.Request(new Compact(""), 7)]);

        var answers = new[] { await raw.ReceiveAsync(), await raw.ReceiveAsync(), await raw.ReceiveAsync() };
        Assert.Equal([(MessageKind.Reply, 1u), (MessageKind.Reply, 2u), (MessageKind.Fault, 7u)], answers.Select(static one => (one.Header.Kind, one.Header.CorrelationId)));
        server.Pump();
        Assert.Equal(0, server.Peers.Single().Reports!.Count);
    }

    private static byte[] Pull(uint id, uint request, int action) =>
        RawPeer.Frame(MessageKind.Request, ReportPull, id, [.. BitConverter.GetBytes(request), .. BitConverter.GetBytes(action)]);
}
