using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

public sealed class StreamLimitTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"stream-limits-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task Further_stream_of_a_peer_is_refused_until_another_one_ends()
    {
        await using var server = await ListenAsync(static (_, token) => EndlessAsync(token), new MessageHostOptions { Limits = new HostLimits { MaxStreams = 2 } });
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var first = await OpenAsync(client);
        await using var second = await OpenAsync(client);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => OpenAsync(client));
        Assert.Equal(FaultCode.TooManyStreams, fault.Code);
        Assert.Contains("the limit is 2", fault.Message, StringComparison.Ordinal);

        await first.DisposeAsync();
        await using var third = await OpenUnlessRefusedAsync(client);
    }

    [Fact]
    public async Task Streams_of_a_peer_that_left_do_not_count()
    {
        await using var server = await ListenAsync(static (_, token) => EndlessAsync(token), new MessageHostOptions { Limits = new HostLimits { MaxStreams = 1 } });
        await using (var client = await MessageHost.ConnectAsync(_endpoint))
            _ = await OpenAsync(client);

        await using var next = await MessageHost.ConnectAsync(_endpoint);
        await using var stream = await OpenAsync(next);
        Assert.Equal(default, stream.Current);
    }

    [Fact]
    public async Task Source_of_a_handler_without_a_token_is_canceled_when_the_consumer_leaves()
    {
        var ended = Signal.New<bool>();
        await using var server = await MessageHost.ListenAsync(_endpoint, host => host.OnStream((Ping _) => WaitingAsync(ended)));
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var stream = await OpenAsync(client);

        await stream.DisposeAsync();

        Assert.True(await ended.Task.InTime());
    }

    [Fact]
    public async Task Item_larger_than_a_block_arrives_alone()
    {
        var text = new string('x', 500_000);
        await using var server = await MessageHost.ListenAsync(_endpoint, host => host.OnStream((Ping _, CancellationToken _) => NotesAsync(text, "small", text)));
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        var notes = await client.StreamAsync<Ping, Note>(default).ReadAllAsync().InTime();

        Assert.Equal([text, "small", text], notes.Select(static note => note.Text));
    }

    [Fact]
    public async Task Item_larger_than_a_message_is_a_fault_with_the_sizes()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, static host => host.OnStream(static (Ping _, CancellationToken _) => NotesAsync("small", new string('x', 2_000_000))));
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        await using var notes = client.StreamAsync<Ping, Note>(default).GetAsyncEnumerator();
        Assert.True(await notes.MoveNextAsync().AsTask().InTime());

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => notes.MoveNextAsync().AsTask().InTime());

        Assert.Equal(FaultCode.ReplyFailed, fault.Code);
        Assert.Contains("2,000,0", fault.Message, StringComparison.Ordinal);
        Assert.Equal(1, server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Many_streams_to_a_consumer_that_does_not_read_stay_within_the_limit_of_replies()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, static host => host.OnStream(static (Ping _, CancellationToken _) => EndlessNotesAsync()), new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 256 * 1024 } });
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var streams = await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => OpenNotesAsync(client))).InTime();

        foreach (var stream in streams)
            await stream.DisposeAsync();

        Assert.True(client.Server.IsConnected);
        Assert.Equal(0, server.GetCount(DisconnectReason.RepliesUnread));
    }

    [Fact]
    public async Task Server_without_a_handler_is_reported()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => OpenAsync(client));

        Assert.Equal(FaultCode.NoHandler, fault.Code);
    }

    [Fact]
    public async Task Stream_that_is_not_opened_in_time_ends_with_the_name_of_the_option()
    {
        await using var server = await ListenAsync(static (_, token) => EndlessAsync(token), new MessageHostOptions { IsPumped = true });
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { RequestTimeout = TimeSpan.FromMilliseconds(20) });

        var timeout = await Assert.ThrowsAsync<TimeoutException>(() => OpenAsync(client));

        Assert.Contains("RequestTimeout", timeout.Message, StringComparison.Ordinal);
        Assert.True(client.Server.IsConnected);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Stream_that_is_opened_too_late_is_closed_and_does_not_count(bool isCanceled)
    {
        var options = new MessageHostOptions { IsPumped = true, Limits = new HostLimits { MaxStreams = 1 } };
        await using var server = await ListenAsync(static (_, token) => EndlessAsync(token), options);
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { RequestTimeout = isCanceled ? Deadline.Length : TimeSpan.FromMilliseconds(20) });
        using var canceled = new CancellationTokenSource();
        var opening = client.StreamAsync<Ping, Pong>(default, canceled.Token).GetAsyncEnumerator(default).MoveNextAsync().AsTask();
        await Signal.UntilAsync(() => server.Inbox!.Count == 1);
        if (isCanceled)
            await canceled.CancelAsync();
        var failure = await Assert.ThrowsAnyAsync<Exception>(() => opening.InTime());
        Assert.Equal(isCanceled ? canceled.Token : null, (failure as OperationCanceledException)?.CancellationToken);

        using var pump = Pump.Of(server);

        await using var stream = await OpenUnlessRefusedAsync(client).InTime();
    }

    [Fact]
    public async Task Handler_that_returns_null_is_reported_with_the_way_out()
    {
        var failed = Signal.New<Exception>();
        await using var server = await ListenAsync(static (_, _) => null!);
        server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        await Assert.ThrowsAsync<RequestFaultException>(() => OpenAsync(client).InTime());

        Assert.Contains("returned null in place of the items", Assert.IsType<InvalidOperationException>(await failed.Task.InTime()).Message, StringComparison.Ordinal);
        Assert.Equal(0, server.Peers.Single().OpenStreams);
    }

    [Fact]
    public async Task Failed_enumeration_closes_its_stream_without_a_disposal()
    {
        var ended = Signal.New<bool>();
        await using var server = await ListenAsync((_, token) => WaitingAsync(ended, token));
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        using var canceled = new CancellationTokenSource();
        var items = client.StreamAsync<Ping, Pong>(default, canceled.Token).GetAsyncEnumerator(default);
        Assert.True(await items.MoveNextAsync().AsTask().InTime());

        await canceled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => items.MoveNextAsync().AsTask().InTime());
        Assert.True(await ended.Task.InTime());
    }

    [Fact]
    public async Task Requests_for_blocks_of_a_source_that_ignores_its_token_end_with_the_loop()
    {
        await using var server = await ListenAsync(static (_, _) => IgnoringAsync());
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        await using (await OpenAsync(client))
        {
            await Signal.UntilAsync(() => client.Server.Requests.Unanswered.Count > 0);
        }

        await Signal.UntilAsync(() => client.Server.Requests.Unanswered.Count == 0 && server.Peers.All(static peer => peer is { OpenStreams: 0, RunningHandlers: 0 }));
    }

    [Fact]
    public async Task Stream_that_has_no_room_for_a_request_waits_until_it_is_canceled()
    {
        using var isBlocked = new ManualResetEventSlim();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Note _, Peer _) => isBlocked.Wait()));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 100_000 } }).InTime();
        await client.Server.FillAsync(new Note(new string('x', 10_000)));
        while (client.Server.Send(new Note("")) == SendStatus.Sent)
            continue; // until a request for a block has no room
        using var canceled = new CancellationTokenSource();

        var reading = Deadline.RunAside(() => ReadAsync(canceled.Token));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await (await reading.InTime()).InTime());
        isBlocked.Set();

        Task ReadAsync(CancellationToken token)
        {
            var stream = new IncomingStream(client.Server, 1);
            var read = stream.ReadAsync(token).AsTask();
            canceled.Cancel();
            return read;
        }
    }

    [Fact]
    public async Task Source_of_a_pumped_host_runs_inside_the_pump()
    {
        var threads = new HashSet<int>();
        await using var server = await ListenAsync((_, _) => SourceAsync(), new MessageHostOptions { IsPumped = true });
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var reading = client.StreamAsync<Ping, Pong>(default).ReadAllAsync();
        var pumping = Deadline.RunAside(() =>
        {
            while (!reading.IsCompleted)
                server.Pump();
            return Environment.CurrentManagedThreadId;
        });

        Assert.Equal(100, (await reading.InTime()).Count);
        Assert.Equal([await pumping.InTime()], threads);

        async IAsyncEnumerable<Pong> SourceAsync()
        {
            for (var i = 0; i < 100; i++)
            {
                threads.Add(Environment.CurrentManagedThreadId);
                yield return new Pong(i);
                await Task.Yield();
            }
        }
    }

    /// <summary>An enumerator that is no iterator completes its items on another thread, and the outbox is full at the first request for a block.</summary>
    [Fact]
    public async Task Enumerator_of_a_pumped_host_is_called_inside_the_pump()
    {
        var (source, isBlocked) = (new PoolSource(), new ManualResetEventSlim());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => host.OnStream((Ping _) => source), new MessageHostOptions { IsPumped = true, Limits = new HostLimits { MaxPendingBytes = 100_000 } });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note _, Peer _) => isBlocked.Wait())).InTime();
        var reading = client.StreamAsync<Ping, Pong>(default).ReadAllAsync();
        var pulls = 0;
        using var tap = server.Tap((in TappedMessage message) =>
        {
            if (message is { Direction: MessageDirection.Received, Header.Type: LibraryTypes.StreamPull })
                Interlocked.Increment(ref pulls);
        });
        while (server.Pump().Handled == 0) // the stream is opened
            await Task.Delay(1);
        await Signal.UntilAsync(() => Volatile.Read(ref pulls) > 0);
        await Task.Run(() => server.Peers.Single().FillAsync(new Note(new string('x', 10_000))));
        var pumping = Deadline.RunAside(() =>
        {
            server.Pump();
            isBlocked.Set();
            while (!reading.IsCompleted)
                server.Pump();
            return Environment.CurrentManagedThreadId;
        });

        Assert.Equal(PoolSource.Count, (await reading.InTime()).Count);
        Assert.Equal([await pumping.InTime()], source.Threads);
    }

    [Fact]
    public async Task Item_with_another_contract_refuses_the_peer()
    {
        await using var server = await ListenAsync(static (_, token) => EndlessAsync(token));

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(
            _endpoint, static client => client.AnnounceContract(s_otherPong)));

        Assert.Equal(DisconnectReason.WrongContract, refusal.Reason);
    }

    [Fact]
    public async Task Items_with_another_contract_are_not_requested()
    {
        var calls = 0;
        await using var server = await ListenAsync((_, token) =>
        {
            calls++;
            return EndlessAsync(token);
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => client.Server.StreamAsync(MessageContract.GetDeclared<Ping>(), s_otherPong, default).ReadAllAsync().InTime());

        Assert.Equal((RequestStatus.ContractMismatch, 0), (failure.Status, calls));
    }

    [Fact]
    public async Task Pull_of_a_number_that_was_not_opened_is_a_fault()
    {
        await using var server = await ListenAsync(static (_, token) => EndlessAsync(token));
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        await using var other = await MessageHost.ConnectAsync(_endpoint);
        await using var opened = await OpenAsync(other);

        using var own = new IncomingStream(client.Server, 2);
        await Assert.ThrowsAsync<RequestFaultException>(() => own.ReadAsync(default).AsTask().InTime());

        // The stream of another peer is not read.
        using var others = new IncomingStream(client.Server, 1);
        Assert.True((await others.ReadAsync(default).AsTask().InTime()).IsEnd);
        Assert.True(await opened.MoveNextAsync().AsTask().InTime());
    }

    /// <summary>A hostile peer opens streams that no request wanted. Each is closed, and nothing waits for the reply.</summary>
    [Theory]
    [InlineData(LibraryTypes.StreamOpened)]
    [InlineData(LibraryTypes.FileFound)]
    public async Task Reply_without_a_request_is_closed_and_leaves_no_request(uint type)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync([.. RawPeer.Frame(MessageKind.Reply, type, 7, 1, 2), .. RawPeer.Frame(MessageKind.Fault, type, 8, 5, 0, 0, 0), .. RawPeer.Frame(MessageKind.Reply, type, 9, 5, 0, 0, 0, 6)]);

        var (close, payload) = await raw.ReceiveAsync();
        Assert.Equal((MessageKind.Request, LibraryTypes.StreamPull, 9u, "0500000000000000"), (close.Kind, close.Type, close.CorrelationId, Convert.ToHexString(payload)));
        Assert.Equal(0, server.Peers.Single().Requests.Unanswered.Count);
        Assert.Equal(3, server.GetStatistics().LateReplies);
    }

    private static readonly MessageContract<Pong> s_otherPong = new(2, new BlittableSerializer<Pong>(), version: 2);

    private Task<MessageServer> ListenAsync(Func<Ping, CancellationToken, IAsyncEnumerable<Pong>> source, MessageHostOptions? options = null) =>
        MessageHost.ListenAsync(_endpoint, host => host.OnStream(source), options);

    /// <summary>Opens a stream and reads its first item.</summary>
    private static async Task<IAsyncEnumerator<Pong>> OpenAsync(MessageClient client)
    {
        var stream = client.StreamAsync<Ping, Pong>(default).GetAsyncEnumerator();
        Assert.True(await stream.MoveNextAsync().AsTask().InTime());
        return stream;
    }

    private static async Task<IAsyncEnumerator<Pong>> OpenUnlessRefusedAsync(MessageClient client)
    {
        while (true)
        {
            try
            {
                return await OpenAsync(client);
            }
            catch (Exception e) when (e is RequestFaultException { Code: FaultCode.TooManyStreams } or TimeoutException)
            {
                await Task.Yield(); // the close of the other stream is under way
            }
        }
    }

    private static async Task<IAsyncEnumerator<Note>> OpenNotesAsync(MessageClient client)
    {
        var stream = client.StreamAsync<Ping, Note>(default).GetAsyncEnumerator();
        Assert.True(await stream.MoveNextAsync());
        return stream;
    }

    private static async IAsyncEnumerable<Pong> EndlessAsync([EnumeratorCancellation] CancellationToken token)
    {
        for (var i = 0; !token.IsCancellationRequested; i++)
        {
            yield return new Pong(i);
            await Task.Yield();
        }
    }

    /// <summary>Yields an item, and then waits for the token.</summary>
    private static async IAsyncEnumerable<Pong> WaitingAsync(TaskCompletionSource<bool> ended, [EnumeratorCancellation] CancellationToken token = default)
    {
        yield return default;
        try
        {
            await Task.Delay(Timeout.Infinite, token);
        }
        finally
        {
            ended.SetResult(token.IsCancellationRequested);
        }
    }

    /// <summary>Completes each item on the thread pool, and notes the threads that ask for the items.</summary>
    private sealed class PoolSource : IAsyncEnumerable<Pong>, IAsyncEnumerator<Pong>
    {
        public const int Count = 20;

        public HashSet<int> Threads { get; } = [];

        public Pong Current { get; private set; }

        public IAsyncEnumerator<Pong> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

        public ValueTask<bool> MoveNextAsync()
        {
            Threads.Add(Environment.CurrentManagedThreadId);
            Current = new Pong(Current.Number + 1);
            return new ValueTask<bool>(Task.Run(() => Current.Number <= Count));
        }

        public ValueTask DisposeAsync() => default;
    }

    private static async IAsyncEnumerable<Pong> IgnoringAsync()
    {
        yield return default;
        await Task.Delay(Timeout.Infinite);
    }

    private static async IAsyncEnumerable<Note> EndlessNotesAsync()
    {
        while (true)
        {
            yield return new Note(new string('x', 10_000));
            await Task.Yield();
        }
    }

    private static async IAsyncEnumerable<Note> NotesAsync(params string[] texts)
    {
        foreach (var text in texts)
        {
            yield return new Note(text);
            await Task.Yield();
        }
    }
}
