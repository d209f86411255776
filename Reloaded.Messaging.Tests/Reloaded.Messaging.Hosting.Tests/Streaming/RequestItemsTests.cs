using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

[Message(5080)] public sealed record Upload(string Name) : IRequest<Uploaded>;
[Message(5081)] public sealed record Uploaded(int Items, long Sum);
[Message(5082)] public sealed record Track(string Name) : IRequest;
[Message(5083)] public sealed record Converse(int Factor) : IStreamRequest<Pong>;

/// <summary>What holds for the items of a request over every transport that delivers all messages.</summary>
public abstract class RequestItemsTests
{
    private const int ItemSize = 1000;

    // Four blocks of 64 KiB in flight, a block that is read, and a block that is prepared; the last item of a block may exceed its size.
    private const int MaxAhead = 6 * ((64 * 1024 / ItemSize) + 2);

    private readonly MessageHostOptions _options;

    protected RequestItemsTests(bool isPumped = false) => _options = new MessageHostOptions { IsPumped = isPumped };

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(50_000)]
    public async Task Handler_receives_items_in_order_up_to_the_end(int count)
    {
        var received = new List<int>();
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken token) =>
        {
            await foreach (var item in items.WithCancellation(token))
                received.Add(item.Number);
            return new Uploaded(received.Count, received.Sum(static number => (long)number));
        }));

        var reply = await hosts.Client.RequestAsync(new Upload("numbers"), CountAsync(count)).InTime();

        Assert.Equal(new Uploaded(count, count * (count - 1L) / 2), reply);
        Assert.Equal(Enumerable.Range(0, count), received);
        await HasNoStreamsAsync(hosts);
    }

    [Fact]
    public async Task Server_sends_items_to_a_handler_of_the_client()
    {
        await using var hosts = await ConnectAsync(client: static host => host.OnRequest<Upload, Ping, Uploaded>(SumAsync));

        Assert.Equal(new Uploaded(10, 45), await Assert.Single(hosts.Server.Peers).RequestAsync(new Upload(""), CountAsync(10)).InTime());
    }

    [Fact]
    public async Task Item_that_is_there_arrives_while_the_source_waits()
    {
        var (source, seen) = (Channel.CreateUnbounded<Ping>(), Channel.CreateUnbounded<int>());
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            await foreach (var item in items)
                seen.Writer.TryWrite(item.Number);
        }));
        var sending = hosts.Client.RequestAsync(new Track(""), source.Reader.ReadAllAsync());

        for (var i = 0; i < 3; i++)
        {
            source.Writer.TryWrite(new Ping(i));
            Assert.Equal(i, await seen.Reader.ReadAsync().AsTask().InTime());
        }

        Assert.False(sending.IsCompleted);
        source.Writer.Complete();
        await sending.InTime();
    }

    [Fact]
    public async Task Reply_of_a_handler_that_reads_nothing_arrives_at_once()
    {
        var isStarted = false;
        await using var hosts = await ConnectAsync(static host => host.OnRequest(static (Upload _, IAsyncEnumerable<Ping> _, CancellationToken _) => Task.FromResult(new Uploaded(-1, 0))));

        Assert.Equal(-1, (await hosts.Client.RequestAsync(new Upload(""), SourceAsync()).InTime()).Items);
        Assert.False(isStarted);
        await HasNoStreamsAsync(hosts);

        async IAsyncEnumerable<Ping> SourceAsync()
        {
            isStarted = true;
            await Task.Yield();
            yield break;
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_that_stops_reading_cancels_the_source(bool replies)
    {
        var (ended, left) = (Signal.New<bool>(), Signal.New<bool>());
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            var reading = items.GetAsyncEnumerator(CancellationToken.None);
            await reading.MoveNextAsync();
            var first = reading.Current;
            if (!replies)
            {
                await reading.DisposeAsync();
                await left.Task;
            }

            return new Uploaded(1, first.Number);
        }));

        var sending = hosts.Client.RequestAsync(new Upload(""), EndlessAsync(ended));

        Assert.True(await ended.Task.InTime());
        Assert.True(replies || !sending.IsCompleted); // the sender learns it before the reply
        left.SetResult(true);
        Assert.Equal(new Uploaded(1, 0), await sending.InTime());
        await HasNoStreamsAsync(hosts);
    }

    [Fact]
    public async Task Canceled_call_cancels_the_handler_and_the_source_and_is_no_end_of_the_items()
    {
        var (ended, handled) = (Signal.New<bool>(), Signal.New<(bool IsWhole, CancellationToken Token)>());
        using var canceled = new CancellationTokenSource();
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken token) =>
        {
            var isWhole = false;
            try
            {
                await foreach (var item in items)
                    continue;
                isWhole = true;
            }
            finally
            {
                handled.SetResult((isWhole, token));
            }

            return new Uploaded(0, 0);
        }));
        var started = Signal.New<bool>();
        var sending = hosts.Client.RequestAsync(new Upload(""), WaitingAsync(started, ended), canceled.Token);
        await started.Task.InTime();

        await canceled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.InTime());
        Assert.True(await ended.Task.InTime());
        await AssertIsCanceledAsync(handled.Task);
        await HasNoStreamsAsync(hosts);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures + hosts.Client.GetStatistics().HandlerFailures);
    }

    /// <summary>The message that cancels the request may be read after the items have ended: over UDP they have different orders.</summary>
    [Fact]
    public async Task Items_that_are_canceled_before_their_request_are_no_failure_of_the_handler()
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest(async (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            await foreach (var item in items)
                continue;
        }));
        var started = Signal.New<bool>();
        var sending = hosts.Client.RequestAsync(new Track(""), WaitingAsync(started, Signal.New<bool>()));
        await started.Task.InTime();

        var id = Enumerable.Range(0, 1 << 16).Select(static id => (uint)id).First(id => StreamTable.Of(hosts.Client).Find(StreamTable.ItemsOfRequest + id, hosts.Client.Server) is not null);
        Assert.True(hosts.Client.Server.Requests.Unanswered.TryTake(id, out var request));
        request.End(RequestStatus.Canceled); // as a call does that is canceled, but for the message that cancels its request

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.InTime());
        await HasNoStreamsAsync(hosts);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disconnect_cancels_the_handler_and_the_source(bool isByClient)
    {
        var (started, ended, handled) = (Signal.New<bool>(), Signal.New<bool>(), Signal.New<Exception>());
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            try
            {
                await foreach (var item in items)
                    continue;
                handled.SetResult(new InvalidOperationException("The items have ended."));
            }
            catch (Exception e)
            {
                handled.SetResult(e);
                throw;
            }
        }));
        var sending = hosts.Client.RequestAsync(new Track(""), WaitingAsync(started, ended));
        await started.Task.InTime();

        await (isByClient ? hosts.Client.Server : Assert.Single(hosts.Server.Peers)).DisconnectAsync();

        Assert.Equal(RequestStatus.Disconnected, (await Assert.ThrowsAsync<RequestFailedException>(() => sending.InTime())).Status);
        Assert.True(await ended.Task.InTime());
        Assert.IsAssignableFrom<OperationCanceledException>(await handled.Task.InTime());
        await HasNoStreamsAsync(hosts);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures + hosts.Client.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Exception_of_the_source_is_thrown_by_the_call_and_a_fault_for_the_handler()
    {
        var (received, failure) = (new List<int>(), Signal.New<RequestFaultException>());
        await using var hosts = await ConnectAsync(host => host.OnRequest(async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            try
            {
                await foreach (var item in items)
                    received.Add(item.Number);
            }
            catch (RequestFaultException e)
            {
                failure.SetResult(e);
            }

            return new Uploaded(received.Count, 0);
        }));

        var thrown = await Assert.ThrowsAsync<FormatException>(() => hosts.Client.RequestAsync(new Upload(""), FailingAsync(new FormatException("secret"))).InTime());

        Assert.Equal("secret", thrown.Message);
        Assert.Equal([1, 2], received);
        var fault = await failure.Task.InTime();
        Assert.Equal((FaultCode.HandlerFailed, true), (fault.Code, fault.IsRemote));
        Assert.DoesNotContain("secret", fault.Message, StringComparison.Ordinal);
        await HasNoStreamsAsync(hosts);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures + hosts.Client.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Fault_of_the_handler_ends_the_source()
    {
        var ended = Signal.New<bool>();
        await using var hosts = await ConnectAsync(static host => host.OnRequest(static async (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            await FirstAsync(items);
            throw new RequestFaultException(1001, "The disk is full.");
        }));

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(new Track(""), EndlessAsync(ended)).InTime());

        Assert.Equal((1001, "The disk is full."), (fault.Code, fault.Message));
        Assert.True(await ended.Task.InTime());
    }

    [Fact]
    public async Task Source_waits_for_a_slow_handler()
    {
        var (next, seen, produced) = (new SemaphoreSlim(0), new SemaphoreSlim(0), 0);
        await using var hosts = await ConnectAsync(host =>
        {
            host.OnRequest(static (Pong pong) => new Ping(pong.Number));
            host.OnRequest(async (Track _, IAsyncEnumerable<Note> items, CancellationToken _) =>
            {
                await foreach (var item in items)
                {
                    seen.Release();
                    await next.WaitAsync(CancellationToken.None);
                }
            });
        });
        using var canceled = new CancellationTokenSource();
        var sending = hosts.Client.RequestAsync(new Track(""), NotesAsync(), canceled.Token);
        Assert.True(await seen.WaitAsync(Deadline.Length));

        for (var replies = 0; replies < 20; replies++)
            await hosts.Client.RequestAsync<Pong, Ping>(default).AsTask().InTime();
        Assert.InRange(Volatile.Read(ref produced), 1, MaxAhead);

        next.Release(1000);
        for (var i = 0; i < 1000; i++)
            Assert.True(await seen.WaitAsync(Deadline.Length));
        Assert.InRange(Volatile.Read(ref produced), 1001, 1001 + MaxAhead);
        await canceled.CancelAsync();
        next.Release();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.InTime());

        async IAsyncEnumerable<Note> NotesAsync([EnumeratorCancellation] CancellationToken token = default)
        {
            while (!token.IsCancellationRequested)
            {
                Interlocked.Increment(ref produced);
                yield return new Note(new string('x', ItemSize));
                await Task.Yield();
            }
        }
    }

    [Fact]
    public async Task Items_of_two_requests_do_not_mix()
    {
        await using var hosts = await ConnectAsync(static host => host.OnRequest<Upload, Ping, Uploaded>(SumAsync));

        var replies = await Task.WhenAll(
            hosts.Client.RequestAsync(new Upload("a"), CountAsync(20_000)),
            hosts.Client.RequestAsync(new Upload("b"), CountAsync(30_000))).InTime();

        Assert.Equal([20_000, 30_000], replies.Select(static reply => reply.Items));
    }

    [Fact]
    public async Task Items_go_both_ways_at_once()
    {
        var questions = Channel.CreateUnbounded<Ping>();
        await using var hosts = await ConnectAsync(static host => host.OnStream<Converse, Ping, Pong>(MultiplyAsync));
        await using var answers = hosts.Client.StreamAsync(new Converse(3), questions.Reader.ReadAllAsync()).GetAsyncEnumerator();

        for (var i = 0; i < 100; i++)
        {
            questions.Writer.TryWrite(new Ping(i));
            Assert.True(await answers.MoveNextAsync().AsTask().InTime());
            Assert.Equal(3 * i, answers.Current.Number);
        }

        questions.Writer.Complete();
        Assert.False(await answers.MoveNextAsync().AsTask().InTime());
        await HasNoStreamsAsync(hosts);
    }

    [Fact]
    public async Task Many_items_go_both_ways_in_order()
    {
        await using var hosts = await ConnectAsync(static host => host.OnStream<Converse, Ping, Pong>(MultiplyAsync));

        var answers = await hosts.Client.StreamAsync(new Converse(1), CountAsync(30_000)).ReadAllAsync().InTime();

        Assert.Equal(Enumerable.Range(0, 30_000), answers.Select(static answer => answer.Number));
    }

    [Fact]
    public async Task Leaving_the_loop_cancels_the_handler_and_the_sent_items_without_their_end()
    {
        var (ended, handled) = (Signal.New<bool>(), Signal.New<(bool IsWhole, CancellationToken Token)>());
        await using var hosts = await ConnectAsync(host => host.OnStream<Converse, Ping, Pong>((request, items, token) => EchoAsync(items, token)));

        await foreach (var answer in hosts.Client.StreamAsync(new Converse(1), WaitingAsync(Signal.New<bool>(), ended)))
            break;

        Assert.True(await ended.Task.InTime());
        await AssertIsCanceledAsync(handled.Task);
        await HasNoStreamsAsync(hosts);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures + hosts.Client.GetStatistics().HandlerFailures);

        async IAsyncEnumerable<Pong> EchoAsync(IAsyncEnumerable<Ping> items, [EnumeratorCancellation] CancellationToken token)
        {
            var isWhole = false;
            try
            {
                await foreach (var item in items)
                    yield return new Pong(item.Number);
                isWhole = true;
            }
            finally
            {
                handled.SetResult((isWhole, token));
            }
        }
    }

    [Fact]
    public async Task Exception_of_the_sent_items_ends_the_loop_after_the_received_items()
    {
        var received = new List<int>();
        await using var hosts = await ConnectAsync(static host => host.OnStream<Converse, Ping, Pong>(MultiplyAsync));

        await Assert.ThrowsAsync<FormatException>(() => ReadAsync().InTime());

        Assert.Equal([2, 4], received);
        Assert.Equal(0, hosts.Client.GetStatistics().HandlerFailures);

        async Task ReadAsync()
        {
            await foreach (var answer in hosts.Client.StreamAsync(new Converse(2), FailingAsync(new FormatException())))
                received.Add(answer.Number);
        }
    }

    protected abstract MessageEndpoint NewEndpoint();

    private async Task<PumpedPair> ConnectAsync(Action<MessageServer>? server = null, Action<MessageClient>? client = null) =>
        new(await HostPair.ConnectAsync(NewEndpoint(), server, client, _options));

    /// <summary>Waits until no side has a stream.</summary>
    private static Task HasNoStreamsAsync(PumpedPair hosts) =>
        Signal.UntilAsync(() => hosts.Client.Server.OpenStreams == 0 && hosts.Server.Peers.All(static peer => peer.OpenStreams == 0 && peer.RunningHandlers == 0));

    private static async Task<Ping> FirstAsync(IAsyncEnumerable<Ping> items)
    {
        await using var first = items.GetAsyncEnumerator();
        return await first.MoveNextAsync() ? first.Current : throw new InvalidOperationException("There is no item.");
    }

    private static async Task<Uploaded> SumAsync(Upload upload, IAsyncEnumerable<Ping> items, CancellationToken token)
    {
        var (count, sum) = (0, 0L);
        await foreach (var item in items)
            (count, sum) = (count + 1, sum + item.Number);
        return new Uploaded(count, sum);
    }

    private static async IAsyncEnumerable<Pong> MultiplyAsync(Converse request, IAsyncEnumerable<Ping> items, [EnumeratorCancellation] CancellationToken token)
    {
        await foreach (var item in items)
            yield return new Pong(request.Factor * item.Number);
    }

    private static async IAsyncEnumerable<Ping> CountAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            if (i % 1000 == 999)
                await Task.Yield();
            yield return new Ping(i);
        }
    }

    private static async IAsyncEnumerable<Ping> FailingAsync(Exception failure)
    {
        yield return new Ping(1);
        await Task.Yield();
        yield return new Ping(2);
        throw failure;
    }

    private static async IAsyncEnumerable<Ping> EndlessAsync(TaskCompletionSource<bool> ended, [EnumeratorCancellation] CancellationToken token = default)
    {
        try
        {
            for (var i = 0; !token.IsCancellationRequested; i++)
            {
                yield return new Ping(i);
                await Task.Yield();
            }
        }
        finally
        {
            ended.TrySetResult(token.IsCancellationRequested);
        }
    }

    /// <summary>The loop of a canceled handler does not end as after the last item, and its token is canceled: on netstandard2.1 perhaps a moment later.</summary>
    private static async Task AssertIsCanceledAsync(Task<(bool IsWhole, CancellationToken Token)> handled)
    {
        var (isWhole, token) = await handled.InTime();
        Assert.False(isWhole);
        await Signal.UntilAsync(() => token.IsCancellationRequested);
    }

    private static async IAsyncEnumerable<Ping> WaitingAsync(TaskCompletionSource<bool> started, TaskCompletionSource<bool> ended, [EnumeratorCancellation] CancellationToken token = default)
    {
        try
        {
            yield return new Ping(1);
            started.TrySetResult(true);
            await Task.Delay(Timeout.Infinite, token);
        }
        finally
        {
            ended.TrySetResult(token.IsCancellationRequested);
        }
    }
}

public sealed class InProcessRequestItemsTests : RequestItemsTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"request-items-{Interlocked.Increment(ref s_names)}");
}

public sealed class TcpRequestItemsTests : RequestItemsTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}

/// <summary>Pumped hosts, whose handlers and sources run on the threads of the pumps.</summary>
public sealed class PumpedRequestItemsTests() : RequestItemsTests(isPumped: true)
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"pumped-request-items-{Interlocked.Increment(ref s_names)}");
}
