using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Channels;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

[Message(5084)] public sealed record Pack(int Files) : IRequest<Packed>;
[Message(5085)] public sealed record Packed(int Files);
[Message(5086)] public sealed record Compact(string Name) : IRequest;
[Message(5087)] public readonly record struct Done(int Files);

/// <summary>What holds for the progress of a request over every transport that delivers all messages.</summary>
public abstract class RequestProgressTests
{
    private readonly MessageHostOptions _options;

    protected RequestProgressTests(bool isPumped = false) => _options = new MessageHostOptions { IsPumped = isPumped };

    [Theory]
    [InlineData(1, 20)]
    [InlineData(2, 20)]
    [InlineData(5000, 4)]
    public async Task Reports_arrive_in_order_and_the_last_one_before_the_reply(int count, int rounds)
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest<Pack, Done, Packed>(PackAsync));
        var reports = new Reports();

        for (var round = 0; round < rounds; round++)
        {
            var reply = await hosts.Client.RequestAsync(new Pack(count), reports).InTime();
            var received = reports.Take();

            Assert.Equal(new Packed(count), reply);
            Assert.Equal(received.Distinct().Order(), received);
            Assert.Equal(count, received[^1]);
        }

        await HasNoReportsAsync(hosts);
        Assert.Empty(reports.Take());
    }

    [Fact]
    public async Task Report_arrives_while_the_handler_works()
    {
        var (steps, seen) = (Channel.CreateUnbounded<int>(), Channel.CreateUnbounded<int>());
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Compact _, IProgress<Done> progress, CancellationToken cancellationToken) =>
        {
            await foreach (var step in steps.Reader.ReadAllAsync(cancellationToken))
                progress.Report(new Done(step));
        }));
        var running = hosts.Client.RequestAsync(new Compact(""), new Reports(one => seen.Writer.TryWrite(one)));

        for (var i = 0; i < 5; i++)
        {
            steps.Writer.TryWrite(i);
            Assert.Equal(i, await seen.Reader.ReadAsync().AsTask().InTime());
        }

        Assert.False(running.IsCompleted);
        steps.Writer.Complete();
        await running.InTime();
        await HasNoReportsAsync(hosts);
    }

    [Fact]
    public async Task Newest_report_replaces_those_that_wait_for_a_slow_reader()
    {
        using var isReleased = new ManualResetEventSlim();
        var (isReading, hasReported) = (Signal.New<bool>(), Signal.New<bool>());
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Pack request, IProgress<Done> progress, CancellationToken _) =>
        {
            progress.Report(new Done(0));
            await isReading.Task;
            for (var i = 1; i <= 1000; i++)
                progress.Report(new Done(i));
            hasReported.SetResult(true);
            return new Packed(request.Files);
        }));
        var reports = new Reports(_ =>
        {
            isReading.TrySetResult(true);
            isReleased.WaitInTime();
        });
        var running = hosts.Client.RequestAsync(new Pack(1), reports);

        await hasReported.Task.InTime();
        Assert.False(running.IsCompleted);
        isReleased.Set();
        await running.InTime();

        Assert.Equal([0, 1000], reports.Take());
        await HasNoReportsAsync(hosts);
    }

    [Fact]
    public async Task Progress_may_block_until_the_call_has_returned()
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest<Pack, Done, Packed>(PackAsync));

        for (var round = 0; round < 50; round++)
        {
            using var hasReturned = new ManualResetEventSlim();
            var running = hosts.Client.RequestAsync(new Pack(1), new Reports(_ => hasReturned.WaitInTime()));
            hasReturned.Set();
            await running.InTime();
        }

        Assert.Equal(0, hosts.Client.GetStatistics().HandlerFailures);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Canceled_call_returns_no_reply_without_the_last_report(bool fails)
    {
        using var hasReply = new ManualResetEventSlim();
        using var canceled = new CancellationTokenSource();
        var isReading = Signal.New<bool>();
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Pack request, IProgress<Done> progress, CancellationToken _) =>
        {
            progress.Report(new Done(0));
            await isReading.Task;
            progress.Report(new Done(1));
            return fails ? throw new RequestFaultException(1000, "on purpose") : new Packed(request.Files);
        }));
        var reports = new Reports(_ =>
        {
            isReading.TrySetResult(true);
            hasReply.WaitInTime();
            canceled.Cancel();
        });
        var running = hosts.Client.RequestAsync(new Pack(1), reports, canceled.Token);

        await Signal.UntilAsync(() => reports.Count == 1 && hosts.Client.Server.Requests.Unanswered.Count == 0);
        hasReply.Set();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.InTime());
        Assert.Equal([0], reports.Take());
        Assert.Equal(0, hosts.Client.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Server_receives_the_progress_of_a_handler_of_the_client()
    {
        await using var hosts = await ConnectAsync(client: static host => host.OnRequest<Pack, Done, Packed>(PackAsync));
        var reports = new Reports();

        Assert.Equal(new Packed(3), await Assert.Single(hosts.Server.Peers).RequestAsync(new Pack(3), reports).InTime());
        Assert.Equal(3, reports.Take()[^1]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handler_without_reports_replies_to_a_requester_that_wants_them(bool isAsynchronous)
    {
        await using var hosts = await ConnectAsync(host =>
        {
            host.OnRequest(static (Compact _, IProgress<Done> _, CancellationToken _) => Task.CompletedTask); // so that the host knows the messages of reports
            if (isAsynchronous)
                host.OnRequest(static (Pack request) => Task.FromResult(new Packed(request.Files)));
            else
                host.OnRequest(static (Pack request) => new Packed(request.Files));
        });
        var reports = new Reports();

        Assert.Equal(new Packed(3), await hosts.Client.RequestAsync(new Pack(3), reports).InTime());
        Assert.Empty(reports.Take());
        await HasNoReportsAsync(hosts);
        Assert.Equal(0, hosts.Client.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Requester_without_progress_receives_the_reply_alone()
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest<Pack, Done, Packed>(PackAsync));

        Assert.Equal(new Packed(3), await hosts.Client.RequestAsync(new Pack(3)).AsTask().InTime());
        Assert.Equal(0, hosts.Server.GetStatistics().LateReplies);
    }

    [Fact]
    public async Task Last_report_arrives_before_a_fault()
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest(static async (Compact _, IProgress<Done> progress, CancellationToken _) =>
        {
            await Task.Yield();
            progress.Report(new Done(1));
            progress.Report(new Done(2));
            throw new RequestFaultException(1001, "The disk is full.");
        }));
        var reports = new Reports();

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(new Compact(""), reports).InTime());

        Assert.Equal((1001, 2), (fault.Code, reports.Take()[^1]));
        await HasNoReportsAsync(hosts);
    }

    [Fact]
    public async Task Canceled_request_cancels_the_handler_and_counts_its_later_reports()
    {
        var (isCanceled, isReported) = (Signal.New<bool>(), Signal.New<bool>());
        using var source = new CancellationTokenSource();
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Compact _, IProgress<Done> progress, CancellationToken token) =>
        {
            progress.Report(new Done(1));
            try
            {
                await Task.Delay(Timeout.Infinite, token);
            }
            finally
            {
                await isCanceled.Task;
                progress.Report(new Done(2));
                isReported.SetResult(true);
            }
        }));
        var reports = new Reports(_ => source.Cancel());

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => hosts.Client.RequestAsync(new Compact(""), reports, source.Token).InTime());
        await HasNoReportsAsync(hosts, hasRunning: true);
        isCanceled.SetResult(true);

        await isReported.Task.InTime();
        Assert.Equal([1], reports.Take());
        await Signal.UntilAsync(() => hosts.Server.GetStatistics().LateReplies == 1);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures + hosts.Client.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Report_after_the_reply_is_counted_and_not_sent()
    {
        var late = Signal.New<IProgress<Done>>();
        await using var hosts = await ConnectAsync(host => host.OnRequest((Compact _, IProgress<Done> progress, CancellationToken _) =>
        {
            late.SetResult(progress);
            return Task.CompletedTask;
        }));
        var reports = new Reports();
        await hosts.Client.RequestAsync(new Compact(""), reports).InTime();

        (await late.Task.InTime()).Report(new Done(1));

        Assert.Equal(1, hosts.Server.GetStatistics().LateReplies);
        Assert.Empty(reports.Take());
    }

    [Fact]
    public async Task Exception_of_the_progress_ends_the_reports_and_not_the_request()
    {
        var failed = Signal.New<HandlerFailure>();
        await using var hosts = await ConnectAsync(static host => host.OnRequest<Pack, Done, Packed>(PackAsync));
        hosts.Client.HandlerFailed += failure => failed.TrySetResult(failure);

        Assert.Equal(new Packed(5000), await hosts.Client.RequestAsync(new Pack(5000), new Reports(static _ => throw new FormatException())).InTime());

        Assert.IsType<FormatException>((await failed.Task.InTime()).Exception);
        await HasNoReportsAsync(hosts);
        Assert.Equal(1, hosts.Client.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Disconnect_ends_the_request_and_its_reports()
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest(static async (Compact _, IProgress<Done> progress, CancellationToken token) =>
        {
            progress.Report(new Done(1));
            await Task.Delay(Timeout.Infinite, token);
        }));
        var (server, leaving) = (Assert.Single(hosts.Server.Peers), Task.CompletedTask);
        var reports = new Reports(_ => leaving = server.DisconnectAsync());

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync(new Compact(""), reports).InTime());

        await leaving.InTime();
        Assert.Equal(RequestStatus.Disconnected, failure.Status);
        Assert.Equal([1], reports.Take());
        Assert.Equal(0, hosts.Client.GetStatistics().HandlerFailures);
    }

    protected abstract MessageEndpoint NewEndpoint();

    private async Task<PumpedPair> ConnectAsync(Action<MessageServer>? server = null, Action<MessageClient>? client = null) =>
        new(await HostPair.ConnectAsync(NewEndpoint(), server, client, _options));

    /// <summary>Waits until no side has a request, or reports of a request.</summary>
    private static Task HasNoReportsAsync(PumpedPair hosts, bool hasRunning = false) => Signal.UntilAsync(() =>
        hosts.Client.Server.Requests.Unanswered.Count == 0 && hosts.Server.Peers.All(peer => peer.Reports is not { Count: > 0 } && (hasRunning || peer.RunningHandlers == 0)));

    private static async Task<Packed> PackAsync(Pack request, IProgress<Done> progress, CancellationToken token)
    {
        for (var i = 1; i <= request.Files; i++)
        {
            progress.Report(new Done(i));
            if (i % 10 == 0)
                await Task.Yield();
        }

        return new Packed(request.Files);
    }
}

/// <summary>Collects reports.</summary>
/// <param name="reported">Called with each report.</param>
internal sealed class Reports(Action<int>? reported = null) : IProgress<Done>
{
    private readonly ConcurrentQueue<int> _received = [];
    private int _running;

    public int Count => _received.Count;

    public void Report(Done value)
    {
        Assert.Equal(1, Interlocked.Increment(ref _running));
        _received.Enqueue(value.Files);
        try
        {
            reported?.Invoke(value.Files);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    /// <summary>Returns the reports since the last call.</summary>
    public List<int> Take()
    {
        Assert.Equal(0, Volatile.Read(ref _running));
        var taken = _received.ToList();
        _received.Clear();
        return taken;
    }
}

public sealed class InProcessRequestProgressTests : RequestProgressTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"request-progress-{Interlocked.Increment(ref s_names)}");
}

public sealed class TcpRequestProgressTests : RequestProgressTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}

/// <summary>Pumped hosts, whose handlers run on the threads of the pumps.</summary>
public sealed class PumpedRequestProgressTests() : RequestProgressTests(isPumped: true)
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"pumped-request-progress-{Interlocked.Increment(ref s_names)}");
}
