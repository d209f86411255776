using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

/// <summary>What a stream leaves behind while its connection stays.</summary>
public sealed class StreamMemoryTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"stream-memory-{Interlocked.Increment(ref s_names)}");

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Closed_stream_is_collected(bool isClosedFirst)
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint);

        var stream = CloseStream(hosts.Client.Server, isClosedFirst);

        await Signal.UntilAsync(() =>
        {
            GC.Collect();
            return !stream.IsAlive;
        });
    }

    [Fact]
    public async Task Ended_streams_are_not_found()
    {
        await using var hosts = await HostPair.ConnectAsync(_endpoint, static host =>
        {
            host.OnStream(static (Ping _, CancellationToken _) => OneAsync());
            host.OnRequest(static async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken _) => new Uploaded((await items.ReadAllAsync()).Count, 0));
        });
        var ids = new List<uint>();
        using var tap = hosts.Client.Tap((in TappedMessage message) =>
        {
            if (message is { Direction: MessageDirection.Sent, Header.Type: 5080 })
                ids.Add(message.Header.CorrelationId);
        });

        await hosts.Client.StreamAsync<Ping, Pong>(default).ReadAllAsync().InTime();
        await hosts.Client.RequestAsync(new Upload("a"), OnePingAsync()).InTime();

        Assert.Null(StreamTable.Of(hosts.Server).Find(1, hosts.Server.Peers.Single()));
        Assert.Null(StreamTable.Of(hosts.Client).Find(StreamTable.ItemsOfRequest + ids.Single(), hosts.Client.Server));
    }

    /// <summary>The consumer leaves while an item is prepared, and the source ends before or after that.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Secret_items_that_were_not_requested_are_zeroed(bool endsFirst)
    {
        var (serializer, taken, prepared, end) = (new KeepingSerializer(), Signal.New<bool>(), Signal.New<bool>(), Signal.New<bool>());
        var contract = new MessageContract<Pong>(2, serializer, isSecret: true);
        var ping = MessageContract.GetDeclared<Ping>();
        var source = default(Task);
        await using var hosts = await HostPair.ConnectAsync(_endpoint, host => host.OnStream(ping, contract, (_, _, _) => TwoAsync()));
        var peer = hosts.Client.Server;
        var opened = await peer.RequestAsync(ping, StreamContracts.Opened, default(Ping)).AsTask().InTime();
        var first = await PullAsync(1);
        first.Return(isSecret: true);
        taken.SetResult(true);
        await prepared.Task.InTime();
        var secret = serializer.Last;
        Assert.Equal(KeepingSerializer.Secret, secret.ToArray());

        if (endsFirst)
            await EndAsync();
        Assert.True((await PullAsync(0)).IsEnd);
        if (!endsFirst)
            await EndAsync();

        await Signal.UntilAsync(() => secret.Span.IndexOfAnyExcept((byte)0) < 0);

        Task<StreamBlock> PullAsync(int size) => peer.RequestAsync(StreamContracts.Pull, StreamContracts.GetBlock(isSecret: true), new StreamPull(opened.Number, size)).AsTask().InTime();

        async Task EndAsync()
        {
            end.SetResult(true);
            await source!.InTime();
        }

        async IAsyncEnumerable<Pong> TwoAsync()
        {
            var ended = Signal.New<bool>();
            source = ended.Task;
            try
            {
                yield return new Pong(1);
                await taken.Task;
                yield return new Pong(2);
                prepared.SetResult(true);
                await end.Task;
            }
            finally
            {
                ended.SetResult(true);
            }
        }
    }

    [Fact]
    public async Task Enumeration_that_has_ended_leaves_nothing_in_its_two_tokens()
    {
        using var stopping = new CancellationTokenSource();
        using var reading = new CancellationTokenSource();
        await using var hosts = await HostPair.ConnectAsync(_endpoint);
        var registered = new WeakReference[20];
        for (var i = 0; i < registered.Length; i++)
            registered[i] = await EnumerateAsync(hosts.Client.Server, stopping.Token, reading.Token);

        GC.Collect();

        Assert.InRange(Array.FindAll(registered, static one => one.IsAlive).Length, 0, registered.Length / 2); // the stack may still refer to the last ones
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> EnumerateAsync(Peer peer, CancellationToken stopping, CancellationToken reading)
    {
        WeakReference? registered = null;
        var items = new ItemsToRead<Pong>(peer, MessageContract.GetDeclared<Pong>(), Open, stopping);
        await using var enumerator = items.GetAsyncEnumerator(reading);
        await Assert.ThrowsAsync<NotSupportedException>(() => enumerator.MoveNextAsync().AsTask());
        return registered!;

        Task<IncomingStream> Open(CancellationToken either)
        {
            var state = new object();
            registered = new WeakReference(state);
            either.Register(static _ => { }, state);
            return Task.FromException<IncomingStream>(new NotSupportedException());
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference CloseStream(Peer peer, bool isClosedFirst)
    {
        var stream = new ItemStream<Pong>(peer, 1, MessageContract.GetDeclared<Pong>(), static _ => OneAsync());
        if (isClosedFirst)
            stream.Dispose();
        stream.CloseWithPeer();
        stream.Dispose();
        return new WeakReference(stream);
    }

    private static async IAsyncEnumerable<Pong> OneAsync()
    {
        await Task.Yield();
        yield return new Pong(1);
    }

    private static async IAsyncEnumerable<Ping> OnePingAsync()
    {
        await Task.Yield();
        yield return new Ping(1);
    }

    /// <summary>Keeps the memory to which it has written.</summary>
    private sealed class KeepingSerializer : IMessageSerializer<Pong>
    {
        public static readonly byte[] Secret = [1, 2, 3, 4];

        public Memory<byte> Last { get; private set; }

        public string Name => "keeping";

        public void Serialize(in Pong value, MessageBuffer buffer)
        {
            Last = buffer.GetMemory(Secret.Length).Slice(0, Secret.Length);
            Secret.CopyTo(Last);
            buffer.Advance(Secret.Length);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out Pong value)
        {
            value = default;
            return payload.SequenceEqual(Secret);
        }
    }
}
