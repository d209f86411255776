using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

/// <summary>What holds for streams over every transport that delivers all messages.</summary>
public abstract class StreamContractTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(50_000)]
    public async Task Items_arrive_in_order_up_to_the_end(int count)
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), static host => host.OnStream((Ping request, CancellationToken _) => CountAsync(request.Number)));

        var numbers = await hosts.Client.StreamAsync<Ping, Pong>(new Ping(count)).ReadAllAsync().InTime();

        Assert.Equal(Enumerable.Range(0, count), numbers.Select(static pong => pong.Number));
    }

    [Fact]
    public async Task Stream_with_a_request_timeout_longer_than_a_timer_allows_is_opened()
    {
        await using var hosts = await HostPair.ConnectAsync(
            NewEndpoint(),
            static host => host.OnStream((Ping request, CancellationToken _) => CountAsync(request.Number)),
            clientOptions: new MessageHostOptions { RequestTimeout = TimeSpan.FromDays(60) });

        Assert.Equal([new Pong(0)], await hosts.Client.StreamAsync<Ping, Pong>(new Ping(1)).ReadAllAsync().InTime());
    }

    [Fact]
    public async Task Item_that_is_there_arrives_while_the_source_waits()
    {
        var next = Signal.New<int>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnStream((Ping _, CancellationToken _) => SourceAsync()));
        await using var items = hosts.Client.StreamAsync<Ping, Pong>(default).GetAsyncEnumerator();

        Assert.True(await items.MoveNextAsync().AsTask().InTime());
        Assert.Equal(new Pong(1), items.Current);

        next.SetResult(2);
        Assert.True(await items.MoveNextAsync().AsTask().InTime());
        Assert.Equal(new Pong(2), items.Current);
        Assert.False(await items.MoveNextAsync().AsTask().InTime());

        async IAsyncEnumerable<Pong> SourceAsync()
        {
            yield return new Pong(1);
            yield return new Pong(await next.Task);
        }
    }

    [Fact]
    public async Task Two_streams_at_once_do_not_mix()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), static host => host.OnStream((Ping request, CancellationToken _) => CountAsync(request.Number)));

        var streams = await Task.WhenAll(
            hosts.Client.StreamAsync<Ping, Pong>(new Ping(20_000)).ReadAllAsync(),
            hosts.Client.StreamAsync<Ping, Pong>(new Ping(30_000)).ReadAllAsync()).InTime();

        Assert.Equal([20_000, 30_000], streams.Select(static stream => stream.Count));
    }

    [Fact]
    public async Task Fault_of_the_source_arrives_after_its_items()
    {
        await using var hosts = await HostPair.ConnectAsync(
            NewEndpoint(),
            static host => host.OnStream(static (Ping _, CancellationToken _) => FailingAsync(new RequestFaultException(1001, "The log is gone."))));
        var received = new List<int>();

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => ReadAllAsync(hosts.Client, received));

        Assert.Equal(1001, fault.Code);
        Assert.Equal("The log is gone.", fault.Message);
        Assert.Equal([1, 2], received);
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Leaving_the_loop_cancels_the_source()
    {
        var ended = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnStream((Ping _, CancellationToken token) => EndlessAsync(ended, token)));

        await foreach (var item in hosts.Client.StreamAsync<Ping, Pong>(default))
        {
            if (item.Number == 10)
                break;
        }

        Assert.True(await ended.Task.InTime());
    }

    [Fact]
    public async Task Canceled_token_ends_the_enumeration_and_the_source()
    {
        var ended = Signal.New<bool>();
        using var canceled = new CancellationTokenSource();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnStream((Ping _, CancellationToken token) => WaitingAsync(ended, token)));
        await using var items = hosts.Client.StreamAsync<Ping, Pong>(default, canceled.Token).GetAsyncEnumerator();
        Assert.True(await items.MoveNextAsync().AsTask().InTime());
        var waiting = items.MoveNextAsync().AsTask();

        await canceled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.InTime());
        await items.DisposeAsync();
        Assert.True(await ended.Task.InTime());
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Disconnect_ends_both_sides()
    {
        var ended = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host => host.OnStream((Ping _, CancellationToken token) => WaitingAsync(ended, token)));
        await using var items = hosts.Client.StreamAsync<Ping, Pong>(default).GetAsyncEnumerator();
        Assert.True(await items.MoveNextAsync().AsTask().InTime());
        var waiting = items.MoveNextAsync().AsTask();

        await Assert.Single(hosts.Server.Peers).DisconnectAsync();

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => waiting.InTime());
        Assert.Equal(RequestStatus.Disconnected, failure.Status);
        Assert.True(await ended.Task.InTime());
    }

    [Fact]
    public async Task Source_waits_for_a_slow_consumer()
    {
        const int ItemSize = 1000;
        var produced = 0;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), host =>
        {
            host.OnStream((Ping _, CancellationToken token) => NotesAsync(token));
            host.OnRequest(static (Pong pong) => new Ping(pong.Number));
        });
        await using var items = hosts.Client.StreamAsync<Ping, Note>(default).GetAsyncEnumerator();
        Assert.True(await items.MoveNextAsync().AsTask().InTime());

        // Four blocks of 64 KiB in flight, a block that is read, and a block that is prepared; the last item of a block may exceed its size.
        const int Most = 6 * ((64 * 1024 / ItemSize) + 2);
        for (var replies = 0; replies < 20; replies++)
            await hosts.Client.RequestAsync<Pong, Ping>(default).AsTask().InTime();
        Assert.InRange(Volatile.Read(ref produced), 1, Most);

        for (var i = 0; i < 1000; i++)
            Assert.True(await items.MoveNextAsync().AsTask().InTime());
        Assert.InRange(Volatile.Read(ref produced), 1001, 1001 + Most);

        async IAsyncEnumerable<Note> NotesAsync([EnumeratorCancellation] CancellationToken token)
        {
            while (!token.IsCancellationRequested)
            {
                Interlocked.Increment(ref produced);
                yield return new Note(new string('x', ItemSize));
                await Task.Yield();
            }
        }
    }

    protected abstract MessageEndpoint NewEndpoint();

    private static async Task ReadAllAsync(MessageClient client, List<int> received)
    {
        await foreach (var item in client.StreamAsync<Ping, Pong>(default))
            received.Add(item.Number);
    }

    private static async IAsyncEnumerable<Pong> CountAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            if (i % 1000 == 999)
                await Task.Yield();
            yield return new Pong(i);
        }
    }

    private static async IAsyncEnumerable<Pong> FailingAsync(Exception failure)
    {
        yield return new Pong(1);
        await Task.Yield();
        yield return new Pong(2);
        throw failure;
    }

    private static async IAsyncEnumerable<Pong> EndlessAsync(TaskCompletionSource<bool> ended, [EnumeratorCancellation] CancellationToken token)
    {
        try
        {
            for (var i = 0; !token.IsCancellationRequested; i++)
            {
                yield return new Pong(i);
                await Task.Yield();
            }
        }
        finally
        {
            ended.TrySetResult(token.IsCancellationRequested);
        }
    }

    private static async IAsyncEnumerable<Pong> WaitingAsync(TaskCompletionSource<bool> ended, [EnumeratorCancellation] CancellationToken token)
    {
        try
        {
            yield return new Pong(1);
            await Task.Delay(Timeout.Infinite, token);
        }
        finally
        {
            ended.TrySetResult(token.IsCancellationRequested);
        }
    }
}

public sealed class InProcessStreamTests : StreamContractTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"streams-{Interlocked.Increment(ref s_names)}");
}

public sealed class TcpStreamTests : StreamContractTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}
