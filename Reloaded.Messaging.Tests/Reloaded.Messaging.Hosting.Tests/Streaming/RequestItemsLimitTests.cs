using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

public sealed class RequestItemsLimitTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"request-items-limits-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task Further_request_with_items_is_refused_until_another_one_ends()
    {
        var (started, ended) = (Signal.New<bool>(), Signal.New<bool>());
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnRequest(async (Track _, IAsyncEnumerable<Ping> _, CancellationToken _) =>
        {
            started.TrySetResult(true);
            await ended.Task;
        }), serverOptions: new MessageHostOptions { Limits = new HostLimits { MaxStreams = 1 } });
        var first = hosts.Client.RequestAsync(new Track("first"), NoneAsync());
        await started.Task.InTime();

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(new Track("second"), NoneAsync()).InTime());
        ended.SetResult(true);
        await first.InTime();
        await hosts.Client.RequestAsync(new Track("third"), NoneAsync()).InTime();

        Assert.Equal(FaultCode.TooManyStreams, fault.Code);
        Assert.Contains("the limit is 1", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Second_enumeration_of_the_items_is_refused()
    {
        var refusal = Signal.New<string>();
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnRequest(async (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            await items.ReadAllAsync();
            refusal.SetResult(Assert.Throws<InvalidOperationException>(() => items.GetAsyncEnumerator()).Message);
        }));

        await hosts.Client.RequestAsync(new Track(""), NoneAsync()).InTime();

        Assert.Contains("They arrive once", await refusal.Task.InTime(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Items_cannot_be_read_after_the_handler()
    {
        var late = Signal.New<IAsyncEnumerable<Ping>>();
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnRequest((Track _, IAsyncEnumerable<Ping> items, CancellationToken _) =>
        {
            late.SetResult(items);
            return Task.CompletedTask;
        }));
        await hosts.Client.RequestAsync(new Track(""), NoneAsync()).InTime();

        var items = await late.Task.InTime();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => items.ReadAllAsync().InTime());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Request_without_items_has_no_end_of_items(bool hasStreams)
    {
        var failed = Signal.New<Exception>();
        await using var hosts = await HostPair.ConnectAsync(
            _endpoint,
            static host => host.OnRequest(static (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) => ReadAsync(items)),
            host =>
            {
                if (hasStreams)
                    host.OnStream(static (Ping _, CancellationToken _) => NoneAsync());
            });
        hosts.Server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(new Track("")).AsTask().InTime());

        Assert.Equal(FaultCode.HandlerFailed, fault.Code);
        Assert.Contains("without items", (await failed.Task.InTime()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_to_a_handler_that_reads_no_items_is_not_sent()
    {
        var calls = 0;
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnRequest((Track _) => { calls++; }));

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync(new Track(""), NoneAsync()).InTime());

        Assert.Equal(RequestStatus.ContractMismatch, failure.Status);
        Assert.Contains("reads no items Ping (id 1)", failure.Message, StringComparison.Ordinal);
        Assert.Equal(0, calls);
    }

    [Fact]
    public async Task Request_without_a_handler_is_a_fault()
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(new Track(""), NoneAsync()).InTime());

        Assert.Equal(FaultCode.NoHandler, fault.Code);
        Assert.Equal(0, hosts.Client.Server.OpenStreams);
    }

    [Fact]
    public async Task Items_with_another_contract_are_not_sent()
    {
        var other = new MessageContract<Ping>(1, new BlittableSerializer<Ping>(), version: 2);
        await using var hosts = await HostPair.ConnectAsync(_endpoint, static host => host.OnRequest(static (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) => ReadAsync(items)));

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.Server.RequestAsync(MessageContract.GetDeclared<Track>(), other, Acknowledgement.Contract, new Track(""), NoneAsync()).InTime());

        Assert.Equal(RequestStatus.ContractMismatch, failure.Status);
    }

    [Fact]
    public async Task Filters_surround_a_handler_with_items()
    {
        var seen = new List<object>();
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host =>
        {
            host.AddFilter(async call =>
            {
                seen.Add(call.Message);
                await call.NextAsync();
                seen.Add("after");
            });
            host.OnRequest(async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken _) => new Uploaded((await items.ReadAllAsync()).Count, 0));
        });

        Assert.Equal(1, (await hosts.Client.RequestAsync(new Upload("a"), OneAsync()).InTime()).Items);
        Assert.Equal([new Upload("a"), "after"], seen);
    }

    [Fact]
    public async Task Item_larger_than_a_message_is_an_exception_of_the_call_with_the_sizes()
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint, static host => host.OnRequest(static (Track _, IAsyncEnumerable<Note> items, CancellationToken _) => ReadAsync(items)));

        var failure = await Assert.ThrowsAsync<MessageTooLargeException>(() => hosts.Client.RequestAsync(new Track(""), NoteAsync(new string('x', 2_000_000))).InTime());

        Assert.Contains("2000004 bytes", failure.Message, StringComparison.Ordinal);
    }

    public static TheoryData<byte[]> InvalidBlocks => new((byte[])[2], [0, 0], [0, .. RawPeer.Event(new Pong(1))], [0, .. RawPeer.Request(new Ping(1), 1)]);

    [Theory]
    [MemberData(nameof(InvalidBlocks))]
    public async Task Items_with_an_invalid_block_are_closed(byte[] block)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static host => host.OnRequest(static (Track _, IAsyncEnumerable<Ping> items, CancellationToken _) => ReadAsync(items)));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await raw.SendAsync(RawPeer.Request(new Track(""), 7));
        var (pull, payload) = await raw.ReceiveAsync();

        await raw.SendAsync(RawPeer.Frame(MessageKind.Reply, LibraryTypes.StreamBlock, pull.CorrelationId, block));

        while (pull.Type != LibraryTypes.ItemPull || BitConverter.ToInt32(payload, 4) != 0)
            (pull, payload) = await raw.ReceiveAsync();
        Assert.Equal(7u, BitConverter.ToUInt32(payload));
    }

    /// <summary>A requester that no longer sends its items reads no items either, whether it closes their stream or not.</summary>
    [Fact]
    public async Task Stream_of_a_reply_is_closed_when_the_items_of_its_request_are_canceled()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static host => host.OnStream<Converse, Ping, Pong>(static (_, items, _) => AnswerAsync(items)));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await raw.SendAsync(RawPeer.Request(new Converse(1), 7));
        var (_, number) = await raw.ReceiveAsync();
        await raw.SendAsync(RawPeer.Frame(MessageKind.Request, LibraryTypes.StreamPull, 8, [.. number, 0, 0, 1, 0]));
        var (pull, _) = await raw.ReceiveAsync();
        while (pull.Type != LibraryTypes.ItemPull)
            (pull, _) = await raw.ReceiveAsync();
        Assert.Equal(1, server.Peers.Single().OpenStreams);

        await raw.SendAsync(RawPeer.Frame(MessageKind.Fault, LibraryTypes.ItemPull, pull.CorrelationId, FaultCode.Canceled));

        await Signal.UntilAsync(() => server.Peers.Single().OpenStreams == 0);
    }

    /// <summary>Yields an item before it reads, so that no request for a block waits when the items end.</summary>
    private static async IAsyncEnumerable<Pong> AnswerAsync(IAsyncEnumerable<Ping> items)
    {
        yield return new Pong(0);
        await foreach (var item in items)
            yield return new Pong(item.Number);
    }

    private static async Task ReadAsync<T>(IAsyncEnumerable<T> items) => await items.ReadAllAsync();

    private static async IAsyncEnumerable<Ping> NoneAsync()
    {
        await Task.CompletedTask;
        yield break;
    }

    private static async IAsyncEnumerable<Ping> OneAsync()
    {
        await Task.Yield();
        yield return new Ping(1);
    }

    private static async IAsyncEnumerable<Note> NoteAsync(string text)
    {
        await Task.Yield();
        yield return new Note(text);
    }
}
