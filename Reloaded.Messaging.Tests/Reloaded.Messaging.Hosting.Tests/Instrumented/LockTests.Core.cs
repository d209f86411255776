using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <content>Dispatchers and queues without a host, and the parts for authors of hosts.</content>
public sealed partial class LockTests
{
    [Fact]
    public Task Handlers_of_dispatchers_run_under_no_lock() => LockScenario.CheckAsync(DispatchAsync);

    [Fact]
    public Task Filters_states_and_waits_of_queues_run_under_no_lock() => LockScenario.CheckAsync(QueueAsync);

    [Fact]
    public Task Owners_of_requests_are_called_under_no_lock() => LockScenario.CheckAsync(OwnAsync);

    /// <summary>Typed, asynchronous, raw and fallback handlers.</summary>
    internal static async Task DispatchAsync()
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(static (in Ping _, ref int _) => Check("handler"));
        dispatcher.Register<Note>(static async (_, _, token) =>
        {
            Check("asynchronous handler");
            await Task.Yield();
            Check("continuation of a handler");
        });
        dispatcher.RegisterRaw(50, static (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => Check("raw handler"));
        dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => Check("fallback"));
        var writer = new MessageWriter();
        foreach (var type in (uint[])[50, 51])
        {
            using var raw = writer.PackRaw(new MessageHeader(type, MessageKind.Event), [1]);
            await dispatcher.DispatchAsync(raw.Span, 0);
        }

        using (var ping = writer.Pack(new Ping(1)))
            await dispatcher.DispatchAsync(ping.Span, 0);
        using (var note = writer.Pack(new Note("a")))
            await dispatcher.DispatchAsync(note.Span, 0);
        await UntilCalledAsync("handler", "asynchronous handler", "continuation of a handler", "raw handler", "fallback");
    }

    /// <summary>A pump with a filter and a state, a producer that waits for room, and a producer whose queue is disposed.</summary>
    internal static async Task QueueAsync()
    {
        var writer = new MessageWriter();
        var queue = new MessageQueue<int>(2, FullMode.Wait);
        var dispatcher = new MessageDispatcher<CheckingState>();
        dispatcher.Register(static (in Ping _, ref CheckingState _) => Check("handler"));
        for (var i = 0; i < 2; i++)
            await queue.EnqueueAsync(writer.Pack(new Ping(i)), i);
        var waiting = new[]
        {
            LockScenario.ContinueAsync("continuation of a producer", queue.EnqueueAsync(writer.Pack(new Ping(3)), 3).AsTask()),
            LockScenario.AwaitInContextAsync("context of a producer", async () => await queue.EnqueueAsync(writer.Pack(new Ping(4)), 4)),
        };
        var (state, filter) = (default(CheckingState), default(CheckingFilter));
        queue.Pump(dispatcher, ref state, ref filter);
        await Signal.UntilAsync(() =>
        {
            queue.Pump(dispatcher, ref state);
            return Task.WhenAll(waiting).IsCompleted;
        });
        queue.Pump(dispatcher, ref state); // the messages of the waiting producers, if these were added after the last pump
        for (var i = 0; i < 2; i++)
            await queue.EnqueueAsync(writer.Pack(new Ping(i)), i);
        var ended = LockScenario.ContinueAsync("continuation of a producer of a disposed queue", queue.EnqueueAsync(writer.Pack(new Ping(3)), 3).AsTask());
        queue.Dispose();
        await ended;
        await UntilCalledAsync("handler", "filter", "state", "context of a producer");
    }

    /// <summary>The owner of requests in a table of the program.</summary>
    internal static async Task OwnAsync()
    {
        var table = new RequestTable(2);
        var owner = new CheckingOwner(table);
        using var canceled = new CancellationTokenSource();
        Assert.True(Begin(TimeSpan.FromDays(1), canceled.Token, out var first));
        first.CancelBy(canceled.Token);
        var continued = LockScenario.ContinueAsync("continuation of a canceled request", first.ResultTask.AsTask());
        await canceled.CancelAsync();
        await continued;
        Assert.True(Begin(TimeSpan.FromMilliseconds(1), default, out var late));
        continued = LockScenario.ContinueAsync("continuation of a timeout", late.ResultTask.AsTask());
        table.EndOverdue(long.MaxValue - 2, new RequestCounters());
        await continued;
        Assert.True(Begin(TimeSpan.FromDays(1), default, out var lost));
        continued = LockScenario.ContinueAsync("continuation of a lost request", lost.ResultTask.AsTask());
        table.Close();
        await continued;
        await UntilCalledAsync("owner: CancelRequest", "owner: DescribeEnd");

        bool Begin(TimeSpan timeout, CancellationToken token, out PendingRequest<Pong> request) =>
            table.TryBegin(owner, MessageContract.GetDeclared<Pong>(), MessageLimits.Default, timeout, token, out request, out _);
    }

    private struct CheckingState : IPumpState<int>
    {
        public readonly void SetSender(int sender) => Check("state");
    }

    /// <summary>Leaves all messages in the queue.</summary>
    private readonly struct CheckingFilter : IMessageFilter<int>
    {
        public bool Takes(ReadOnlySpan<byte> message, int sender)
        {
            Check("filter");
            return false;
        }
    }

    private sealed class CheckingOwner(RequestTable table) : IRequestOwner
    {
        public string DescribeEnd()
        {
            Check("owner: DescribeEnd");
            return "The end.";
        }

        public void CancelRequest(PendingRequest request)
        {
            Check("owner: CancelRequest");
            if (table.TryTake(request.Id, out var taken))
                taken.End(RequestStatus.Canceled);
        }

        public void ReportFailure(uint type, Exception exception) => Check("owner: ReportFailure");
    }
}
