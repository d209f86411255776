using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RequestCompletionsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(1000)]
    public async Task Each_request_of_a_chain_is_completed_once(int count)
    {
        var completions = new RequestCompletions();
        var requests = Enumerable.Range(0, count).Select(_ => new SignalingRequest(static () => { })).ToList();

        Add(completions, requests);

        await Signal.UntilAsync(() => requests.All(request => request.Completions > 0));
        Assert.All(requests, request => Assert.Equal(1, request.Completions));
    }

    [Fact]
    public async Task Continuation_that_blocks_does_not_delay_the_next_requests()
    {
        var completions = new RequestCompletions();
        using var last = new ManualResetEventSlim();
        var results = new List<bool>();
        var blocked = new SignalingRequest(() => results.Add(last.Wait(Deadline.Length)));

        Add(completions, [blocked, new SignalingRequest(static () => { }), new SignalingRequest(last.Set)]);

        await Signal.UntilAsync(() => blocked.Completions == 1);
        Assert.Equal([true], results);
    }

    [Fact]
    public async Task Requests_are_completed_that_are_added_by_a_continuation()
    {
        var completions = new RequestCompletions();
        using var last = new ManualResetEventSlim();
        var second = new SignalingRequest(last.Set);

        Add(completions, [new SignalingRequest(() => Add(completions, [second]))]);

        await Deadline.RunAside(() => Assert.True(last.Wait(Deadline.Length)));
    }

    [Fact]
    public async Task Handler_may_wait_for_the_caller_of_a_reply_before_its_event()
    {
        using var listener = new RawListener();
        using var continued = new ManualResetEventSlim();
        var handled = new TaskCompletionSource<bool>();
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.Tcp(listener.Port), client => client.On((in Ping _, Peer _) => handled.SetResult(continued.Wait(Deadline.Length))));
        using var raw = await listener.AcceptAsync();
        await raw.SendAsync([.. RawPeer.Hello(), .. RawPeer.Accept]);
        await using var client = await connecting.InTime();
        await raw.ReceiveAsync();
        await raw.ReceiveAsync();
        var asking = AskAsync(client, continued);
        var (header, _) = await raw.ReceiveAsync();

        await raw.SendAsync([.. RawPeer.Frame(MessageKind.Fault, header.Type, header.CorrelationId), .. RawPeer.Frame(MessageKind.Event, 1, 0, 1, 0, 0, 0)]);

        Assert.True(await handled.Task.InTime(), "The caller did not continue while the handler waited.");
        await asking.InTime();
    }

    private static async Task AskAsync(MessageClient client, ManualResetEventSlim continued)
    {
        await client.TryRequestAsync<Ping, Pong>(new Ping(1)).ConfigureAwait(false);
        continued.Set();
    }

    private static void Add(RequestCompletions completions, List<SignalingRequest> chain)
    {
        var ended = default(RequestChain);
        chain.ForEach(request => ended.Add(request));
        completions.Add(in ended);
    }

    private sealed class SignalingRequest(Action completed) : PendingRequest
    {
        private int _completions;

        public int Completions => Volatile.Read(ref _completions);

        public override void End(in MessageHeader header, ReadOnlySpan<byte> payload) => throw new NotSupportedException();

        public override void End(RequestStatus status, string? reason = null) => throw new NotSupportedException();

        internal override void SetReply(in MessageHeader header, ReadOnlySpan<byte> payload) => throw new NotSupportedException();

        internal override void Complete()
        {
            completed();
            Interlocked.Increment(ref _completions);
        }
    }
}
