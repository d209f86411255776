using System.IO;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Services;
using Reloaded.Messaging.Tests.Support;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <content>Serializers, streams, files and services.</content>
public sealed partial class LockTests
{
    [Fact]
    public Task Serializers_and_compressors_run_under_no_lock() => LockScenario.CheckAsync(SerializeAsync);

    [Fact]
    public Task Contracts_inside_of_messages_are_read_under_no_lock() => LockScenario.CheckAsync(AnnounceAsync);

    [Fact]
    public Task Streams_run_under_no_lock() => LockScenario.CheckAsync(StreamAsync);

    [Fact]
    public Task Files_run_under_no_lock() => LockScenario.CheckAsync(TransferAsync);

    [Fact]
    public Task Services_run_under_no_lock() => LockScenario.CheckAsync(ServeAsync);

    /// <summary>Serializers and compressors of events, broadcasts, requests, replies and items.</summary>
    internal static async Task SerializeAsync()
    {
        var events = Contract(110, "event");
        var broadcasts = Contract(111, "broadcast");
        var requests = Contract(112, "request");
        var replies = Contract(113, "reply");
        var items = Contract(114, "item");
        var (server, client) = await ConnectAsync(
            server: host =>
            {
                host.On(events, static (in Note _, Peer _) => Check("event handler"));
                host.OnRequest(requests, replies, static (in Note note, Peer _) => note);
                host.OnStream(Contract(115, "opening"), items, static (note, _, _) => RepeatAsync(note, default));
            },
            client: host => host.On(broadcasts, static (in Note _, Peer _) => Check("broadcast handler")));
        var longNote = new Note(new string('a', 1000));
        client.Server.Send(events, longNote);
        server.AllPeers.Broadcast(broadcasts, longNote);
        await client.Server.RequestAsync(requests, replies, longNote);
        await foreach (var _ in client.Server.StreamAsync(Contract(115, "opening"), items, longNote))
            break;
        client.On(Contract(116, "late event"), static (in Note _, Peer _) => Check("late event handler")); // announces its contract
        await client.AnsweredAsync();
        await Signal.UntilAsync(() => server.AllPeers.Broadcast(Contract(116, "late event"), new Note("a")) > 0);
        await UntilCalledAsync("event handler", "broadcast handler", "late event handler");
        foreach (var kind in (string[])["event", "broadcast", "request", "reply", "item"])
            await UntilCalledAsync($"{kind}: Serialize", $"{kind}: TryDeserialize", $"{kind}: TryCompress", $"{kind}: TryDecompress");
        await DisposeAsync(client, server);

        static MessageContract<Note> Contract(uint type, string kind) => new(type, new CheckingSerializer(kind), new CompressionOptions(new CheckingCompressor(kind)));
    }

    /// <summary>Generated code that returns the contracts inside of a message: for handlers and announcements before and after the handshake, and for contracts that are only sent.</summary>
    internal static async Task AnnounceAsync()
    {
        var (server, client) = await ConnectAsync(
            server: static host =>
            {
                host.On(Contract(121, "handled"), static (in Note _, Peer _) => { });
                host.On(Contract(122, "handled beside a sent one"), static (in Note _, Peer _) => { });
            },
            client: static host => host.AnnounceContract(Contract(121, "announced")));
        client.Server.Send(Contract(122, "sent"), new Note("a"));
        server.On(Contract(123, "handled late"), static (in Note _, Peer _) => { });
        server.OnRequest(Contract(124, "requested late"), Contract(125, "replied late"), static (in Note note, Peer _) => note);
        client.AnnounceContract(Contract(123, "announced late"));
        foreach (var kind in (string[])["handled", "handled beside a sent one", "announced", "sent", "handled late", "requested late", "replied late", "announced late"])
            await UntilCalledAsync($"inside of a contract that is {kind}", $"inside of the inside of a contract that is {kind}");
        await DisposeAsync(client, server);

        static MessageContract<Note> Contract(uint type, string kind) =>
            Containing(type, $"inside of a contract that is {kind}", () => Containing(type + 100, $"inside of the inside of a contract that is {kind}", static () => MessageContract.GetDeclared<Ping>()));

        static MessageContract<Note> Containing(uint type, string kind, Func<MessageContract> inside) =>
            new(type, new CheckingSerializer("note"), shape: new MessageShape(["Inside"], [1ul << 32], "o;Inside @0", () =>
            {
                Check(kind);
                return [inside()];
            }));
    }

    /// <summary>The source and the reader of a stream of items, and the readers of a stream of events.</summary>
    internal static async Task StreamAsync()
    {
        var items = new MessageContract<Note>(114, new CheckingSerializer("item"));
        var (server, client) = await ConnectAsync(server: host => host.OnStream(MessageContract.GetDeclared<Note>(), items, static (note, _, token) =>
        {
            Check("handler of a stream");
            return RepeatAsync(note, token);
        }));
        var count = 0;
        await foreach (var _ in client.Server.StreamAsync(MessageContract.GetDeclared<Note>(), items, new Note(new string('a', 10_000))).ConfigureAwait(false))
        {
            Check("reader of a stream");
            if (++count == 100) // some blocks
                break;
        }

        await LockScenario.AwaitInContextAsync("context of a reader", async () =>
        {
            await foreach (var _ in client.Server.StreamAsync(MessageContract.GetDeclared<Note>(), items, new Note("a")))
                break;
        });
        await UntilCalledAsync("handler of a stream", "source of a stream", "cancellation of a source", "end of a source", "item: Serialize", "item: TryDeserialize");

        using (var stream = client.Events<Ping>())
        {
            var reading = ReadAsync(stream);
            await Signal.UntilAsync(() =>
            {
                server.Broadcast(new Ping(1));
                return WasCalled("reader of events");
            });
            stream.Dispose();
            await reading;
        }

        var pending = LockScenario.AwaitInContextAsync("context of a reader that waits", async () =>
        {
            await foreach (var _ in client.Events<Pong>())
                break;
        });
        await Signal.UntilAsync(() =>
        {
            server.Broadcast(new Pong(1));
            return pending.IsCompleted;
        });
        await pending;
        await DisposeAsync(client, server);

        static async Task ReadAsync(EventStream<Ping> stream)
        {
            await foreach (var _ in stream.ConfigureAwait(false))
                Check("reader of events");
        }
    }

    /// <summary>The streams of the program that files are read from and written to, the handlers, and the progress of both sides.</summary>
    internal static async Task TransferAsync()
    {
        var (server, client) = await ConnectAsync(server: static host =>
        {
            host.OnFile(static async (offer, token) =>
            {
                Check("handler of an offer");
                token.Register(static () => Check("cancellation of an offer"));
                await offer.SaveAsync(new CheckingStream("destination of the server"), new CheckingProgress("progress of the server"), token);
            });
            host.OnFileRequest(static (name, _) =>
            {
                Check("handler of a request for a file");
                return new CheckingStream("source of the server", name == "endless" ? 1 << 30 : 1_000_000);
            });
        });
        await client.SendFileAsync(new CheckingStream("source of the client", 1_000_000), "name", new CheckingProgress("progress of the client"));
        await client.Server.ReceiveFileAsync("name", new CheckingStream("destination of the client"), new CheckingProgress("progress of the client"));
        using (var canceled = new CancellationTokenSource())
        {
            Task sending = client.SendFileAsync(new CheckingStream("canceled source of the client", 1 << 30), "name", cancellationToken: canceled.Token);
            Task receiving = client.Server.ReceiveFileAsync("endless", new CheckingStream("canceled destination of the client"), cancellationToken: canceled.Token);
            await UntilCalledAsync("canceled source of the client: Read", "canceled destination of the client: Write");
            await canceled.CancelAsync();
            await Task.WhenAll(sending, receiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await UntilCalledAsync(
            "handler of an offer",
            "handler of a request for a file",
            "source of the client: Read",
            "source of the server: Read",
            "source of the server: Dispose",
            "destination of the client: Write",
            "destination of the server: Write",
            "progress of the client",
            "progress of the server",
            "cancellation of an offer");
        await DisposeAsync(client, server);
    }

    /// <summary>The object of a service and its events, and the event handlers of a client.</summary>
    internal static async Task ServeAsync()
    {
        HandlerRegistration? added = null;
        var mods = new CheckingMods();
        var (server, client) = await ConnectAsync(server: host => added = host.AddService<IModLoader>(mods));
        foreach (var loader in (IModLoader[])[client.GetService<IModLoader>(), client.Server.GetService<IModLoader>()])
        {
            var handler = new Action<ModLoaded>(static _ => Check("event handler of a client"));
            loader.Loaded += handler;
            await loader.CountAsync();
            await loader.SuspendAsync("a");
            mods.Raise();
            await UntilCalledAsync("event handler of a client");
            loader.Loaded -= handler;
        }

        using (var canceled = new CancellationTokenSource())
        {
            var suspending = client.GetService<IModLoader>().SuspendAsync("slow", canceled.Token);
            await UntilCalledAsync("slow method");
            await canceled.CancelAsync();
            await suspending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        added!.Dispose();
        await UntilCalledAsync("method", "asynchronous method", "cancellation of a method", "add of an event", "remove of an event");
        await DisposeAsync(client, server);
    }

    private static async IAsyncEnumerable<Note> RepeatAsync(Note note, [EnumeratorCancellation] CancellationToken token)
    {
        token.Register(static () => Check("cancellation of a source"));
        try
        {
            while (true)
            {
                Check("source of a stream");
                yield return note;
                await Task.Yield();
            }
        }
        finally
        {
            Check("end of a source");
        }
    }

    private sealed class CheckingProgress(string name) : IProgress<TransferProgress>
    {
        public void Report(TransferProgress value) => Check(name);
    }

    /// <summary>A file of zeros that is read, or bytes that are written and forgotten.</summary>
    private sealed class CheckingStream(string name, long length = 0) : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => Checked("CanSeek", length > 0);

        public override bool CanWrite => length == 0;

        public override long Length => Checked("Length", length);

        public override long Position { get; set; }

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override int Read(Span<byte> buffer)
        {
            var read = (int)Math.Min(buffer.Length, length - Position);
            buffer.Slice(0, read).Clear();
            Position += read;
            return Checked("Read", read);
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));

        public override void Write(byte[] buffer, int offset, int count) => Checked("Write", count);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => Checked("Write", default(ValueTask));

        public override void Flush() => Check($"{name}: Flush");

        public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
        {
            SeekOrigin.Begin => offset,
            SeekOrigin.Current => Position + offset,
            _ => length + offset,
        };

        public override void SetLength(long value) => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            Check($"{name}: Dispose");
            base.Dispose(disposing);
        }

        private T Checked<T>(string member, T value)
        {
            Check($"{name}: {member}");
            return value;
        }
    }

    private sealed class CheckingSerializer(string name) : IMessageSerializer<Note>
    {
        private readonly IMessageSerializer<Note> _inner = MessageContract.GetDeclared<Note>().Serializer;

        public string Name
        {
            get
            {
                Check($"{name}: Name");
                return "checking";
            }
        }

        public void Serialize(in Note value, MessageBuffer buffer)
        {
            Check($"{name}: Serialize");
            _inner.Serialize(in value, buffer);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out Note value)
        {
            Check($"{name}: TryDeserialize");
            return _inner.TryDeserialize(payload, out value);
        }
    }

    /// <summary>Compresses text of one letter.</summary>
    private sealed class CheckingCompressor(string name) : IMessageCompressor
    {
        private readonly BrotliCompressor _inner = new();

        public string Name
        {
            get
            {
                Check($"{name}: Name");
                return "checking";
            }
        }

        public int GetMaxCompressedSize(int size)
        {
            Check($"{name}: GetMaxCompressedSize");
            return _inner.GetMaxCompressedSize(size);
        }

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
        {
            Check($"{name}: TryCompress");
            return _inner.TryCompress(source, destination, out written);
        }

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
        {
            Check($"{name}: TryDecompress");
            return _inner.TryDecompress(source, destination);
        }
    }

    private sealed class CheckingMods : IModLoader
    {
        private Action<ModLoaded>? _loaded;

        public event Action<ModLoaded>? Loaded
        {
            add
            {
                Check("add of an event");
                _loaded += value;
            }

            remove
            {
                Check("remove of an event");
                _loaded -= value;
            }
        }

        public event Action? Idle
        {
            add => Check("add of an event");
            remove => Check("remove of an event");
        }

        public event Action<string, int>? Changed
        {
            add => Check("add of an event");
            remove => Check("remove of an event");
        }

        public void Raise() => _loaded!(new ModLoaded("a"));

        public Task<ModCatalog> ListAsync(bool loadedOnly, CancellationToken cancellationToken) => throw new NotSupportedException();

        public async Task SuspendAsync(string mod, CancellationToken cancellationToken)
        {
            Check("asynchronous method");
            await Task.Yield();
            if (mod != "slow")
                return;
            cancellationToken.Register(static () => Check("cancellation of a method"));
            Check("slow method");
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }

        public ValueTask<int> CountAsync(int atLeast)
        {
            Check("method");
            return new(atLeast);
        }

        public Task<string[]?> TagsAsync(string mod, Dictionary<string, int>? weights) => throw new NotSupportedException();

        public ValueTask TouchAsync() => default;

        public Task<long> WhoAsync(Peer? caller) => throw new NotSupportedException();

        public ValueTask<ModLoaded> FindAsync(string @class) => throw new NotSupportedException();
    }
}
