using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RequestEndTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Request_not_awaited_leaves_no_registration_in_its_token(bool endsFirst)
    {
        using var source = new CancellationTokenSource();
        var requests = new WeakReference[20];
        for (var i = 0; i < requests.Length; i++)
            requests[i] = await BeginAndEndAsync(endsFirst, source.Token);

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.InRange(requests.Count(request => request.IsAlive), 0, requests.Length / 2); // stacks of threads may still refer to the last ones
        GC.KeepAlive(source);
    }

    [Fact]
    public async Task Continuation_of_a_request_runs_on_the_receiving_thread_if_the_client_allows_it()
    {
        var goesOn = Signal.New<bool>();
        var receiving = 0;
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest(async (Ping ping) =>
        {
            await goesOn.Task;
            return new Pong(ping.Number);
        }), clientOptions: new MessageHostOptions { AllowSynchronousContinuations = true });
        hosts.Client.Tap((in TappedMessage message) =>
        {
            if (message is { Direction: MessageDirection.Received, Header.Kind: MessageKind.Reply })
                receiving = Environment.CurrentManagedThreadId;
        });

        var continuing = ContinueAsync();
        goesOn.SetResult(true);

        Assert.Equal((true, true), (await continuing.InTime() == receiving, receiving != 0));

        async Task<int> ContinueAsync()
        {
            await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).ConfigureAwait(false);
            return Environment.CurrentManagedThreadId;
        }
    }

    [Fact]
    public async Task Request_canceled_without_being_awaited_leaves_no_registration_in_its_token()
    {
        using var source = new CancellationTokenSource();
        var owner = new Owner();
        var request = Begin(owner, source.Token);
        request.CancelBy(source.Token);

        await source.CancelAsync();
        await Signal.UntilAsync(() => request.ResultTask.IsCompleted);

        Assert.Equal(RequestStatus.Canceled, (await request.ResultTask).Status);
    }

    [Fact]
    public void Request_that_has_ended_keeps_no_source_of_a_token_alive()
    {
        var sources = EndAll(20);

        GC.Collect();

        Assert.InRange(sources.Count(static source => source.IsAlive), 0, sources.Length / 2); // stacks of threads may still refer to the last ones
    }

    [Theory]
    [InlineData(RequestStatus.Canceled, TaskStatus.Canceled, true)]
    [InlineData(RequestStatus.Canceled, TaskStatus.Canceled, false)]
    [InlineData(RequestStatus.TimedOut, TaskStatus.Faulted, true)]
    [InlineData(RequestStatus.Disconnected, TaskStatus.Faulted, false)]
    [InlineData(RequestStatus.InvalidReply, TaskStatus.Faulted, true)]
    [InlineData(RequestStatus.NotSent, TaskStatus.Faulted, false)]
    public async Task Task_of_a_request_without_a_reply_is_canceled_or_faulted(RequestStatus status, TaskStatus expected, bool endsFirst)
    {
        var request = Begin(new Owner(), default);
        var reply = request.ReplyTask;
        if (endsFirst)
        {
            request.End(status);
            await Signal.UntilAsync(() => reply.IsCompleted);
        }

        var task = reply.AsTask();
        if (!endsFirst)
            request.End(status);

        await Signal.UntilAsync(() => task.IsCompleted);
        Assert.Equal(expected, task.Status);
        _ = task.Exception; // observed
    }

    [Fact]
    public async Task Canceled_request_that_is_not_awaited_is_no_unobserved_exception()
    {
        var unobserved = new List<Exception>();
        EventHandler<UnobservedTaskExceptionEventArgs> note = (_, e) =>
        {
            lock (unobserved)
                unobserved.AddRange(e.Exception.Flatten().InnerExceptions.Where(static inner => inner is OperationCanceledException { Message: "The request was canceled." }));
        };
        TaskScheduler.UnobservedTaskException += note;
        try
        {
            for (var i = 0; i < 5; i++)
                await LeaveCanceledAsync();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= note;
        }

        Assert.Empty(unobserved);
    }

    [Fact]
    public async Task Request_awaited_twice_throws_what_to_do()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        var request = hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));
        Assert.Equal(new Pong(1), await request.AsTask().InTime());

        var again = await Assert.ThrowsAsync<InvalidOperationException>(async () => await request);

        Assert.Contains("already awaited", again.Message, StringComparison.Ordinal);
        Assert.Contains("AsTask", again.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Continuation_runs_on_the_thread_of_the_reply_only_if_the_table_allows_it(bool allows)
    {
        var owner = new Owner(allows);
        var request = Begin(owner, default);
        var continued = WaitForThreadAsync(request);

        var thread = await Deadline.RunAside(() =>
        {
            Assert.True(owner.Table.TryTake(request.Id, out _));
            request.End(new MessageHeader(0, MessageKind.Fault), default);
            return Thread.CurrentThread;
        });

        Assert.Equal(allows, thread == await continued.InTime());
    }

    [Fact]
    public async Task Continuation_of_a_timeout_never_runs_on_the_thread_that_ends_the_request()
    {
        var owner = new Owner(allowsSynchronousContinuations: true);
        var request = Begin(owner, default);
        var continued = WaitForThreadAsync(request);

        var thread = await Deadline.RunAside(() =>
        {
            owner.Table.EndOverdue(long.MaxValue, new RequestCounters());
            return Thread.CurrentThread;
        });

        Assert.NotEqual(thread, await continued.InTime());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> BeginAndEndAsync(bool endsFirst, CancellationToken token)
    {
        var request = Begin(new Owner(), token);
        if (!endsFirst)
            request.CancelBy(token);
        request.End(RequestStatus.TimedOut);
        await Signal.UntilAsync(() => request.ResultTask.IsCompleted);
        if (endsFirst)
            request.CancelBy(token);
        return new WeakReference(request);
    }

    /// <summary>Ends requests that were unanswered at the same time, so that the pool has as many objects.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] EndAll(int count)
    {
        var sources = Enumerable.Range(0, count).Select(static _ => new CancellationTokenSource()).ToArray();
        var requests = Array.ConvertAll(sources, static source => Begin(new Owner(), source.Token));
        for (var i = 0; i < count; i++)
        {
            requests[i].CancelBy(sources[i].Token);
            requests[i].End(RequestStatus.TimedOut);
            Assert.True(requests[i].ResultTask.AsTask().Wait(Deadline.Length));
        }

        return Array.ConvertAll(sources, static source => new WeakReference(source));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task LeaveCanceledAsync()
    {
        var request = Begin(new Owner(), default);
        var task = request.ReplyTask.AsTask();
        request.End(RequestStatus.Canceled);
        await Signal.UntilAsync(() => task.IsCompleted);
    }

    /// <summary>Returns the thread on which the code after the request continues, without a synchronization context.</summary>
    private static async Task<Thread> WaitForThreadAsync(PendingRequest<Pong> request)
    {
        await request.ResultTask.ConfigureAwait(false);
        return Thread.CurrentThread;
    }

    private static PendingRequest<Pong> Begin(Owner owner, CancellationToken token)
    {
        Assert.True(owner.Table.TryBegin(owner, MessageContract.GetDeclared<Pong>(), MessageLimits.Default, s_hour, token, out var request, out _));
        return request;
    }

    private sealed class Owner(bool allowsSynchronousContinuations = false) : IRequestOwner
    {
        public RequestTable Table { get; } = new(1, allowsSynchronousContinuations);

        public void CancelRequest(PendingRequest request)
        {
            if (Table.TryTake(request.Id, out var taken))
                taken.End(RequestStatus.Canceled);
        }

        public string? DescribeEnd() => null;

        public void ReportFailure(uint type, Exception exception) => Assert.Fail(exception.Message);
    }
}
