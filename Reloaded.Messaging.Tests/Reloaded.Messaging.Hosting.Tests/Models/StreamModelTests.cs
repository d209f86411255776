using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The streams of a host behave as a list of open streams.</summary>
public sealed class StreamModelTests
{
    private const int MaxStreams = 3;

    /// <summary>The model: the open streams and the transfers, each with its peer. Those that the peer has opened are limited.</summary>
    [Fact]
    public async Task StreamTable_is_a_list_of_open_streams_with_a_limit_for_each_peer()
    {
        var endpoint = MessageEndpoint.InProcess($"streams-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxStreams = MaxStreams } });
        await using var first = await MessageHost.ConnectAsync(endpoint);
        await using var second = await MessageHost.ConnectAsync(endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2);
        var (table, peers, last) = (StreamTable.Of(server), server.Peers.ToArray(), 0u);
        Assert.Same(table, StreamTable.Of(server));
        var (open, transfers) = (new List<(OutgoingStream Stream, bool IsLimited)>(), new List<Peer>());
        var items = new List<(OutgoingStream Stream, Peer Peer, uint Id)>(); // until EndItems, and open until then or until they are disposed
        ModelRun.Compare(50, 300, random =>
        {
            open.ForEach(static one => one.Stream.Dispose());
            open.Clear();
            transfers.ForEach(table.Leave);
            transfers.Clear();
            items.ForEach(one => table.EndItems(one.Stream));
            items.Clear();
            return () =>
            {
                var peer = random.Pick(peers);
                var isFull = CountOf(peer) == MaxStreams;
                string text;
                switch (random.Next(11))
                {
                    case 0 or 1:
                        var opened = new TestStream(peer);
                        text = Enter("AddOpened", isFull, () => table.AddOpened(opened));
                        if (!isFull)
                            Added(opened, isLimited: true);
                        break;
                    case 2:
                        var added = new TestStream(peer);
                        table.Add(added);
                        Added(added, isLimited: false);
                        text = "Add";
                        break;
                    case 3:
                        text = Enter("Enter", isFull, () => table.Enter(peer));
                        if (!isFull)
                            transfers.Add(peer);
                        break;
                    case 4 when transfers.Remove(peer):
                        table.Leave(peer);
                        text = "Leave";
                        break;
                    case 5:
                        var (carried, id) = (new TestStream(peer), (uint)random.Next(3));
                        var isTaken = items.Exists(one => one.Peer == peer && one.Id == id);
                        if (isTaken)
                            Assert.Equal(RequestStatus.Full, Assert.Throws<RequestFailedException>(() => table.AddItems(carried, id)).Status);
                        else
                            table.AddItems(carried, id);
                        if (!isTaken)
                        {
                            items.Add((carried, peer, id));
                            open.Add((carried, false));
                        }

                        text = $"AddItems {id}";
                        break;
                    case 6 when items.Count > 0:
                        var over = random.Pick(items);
                        Assert.Null(table.EndItems(over.Stream));
                        items.Remove(over);
                        open.RemoveAll(one => one.Stream == over.Stream);
                        text = $"EndItems {over.Id}";
                        break;
                    case > 6 when open.Count > 0:
                        var ended = random.Pick(open);
                        ended.Stream.Dispose();
                        ended.Stream.Dispose();
                        open.Remove(ended);
                        text = $"Dispose {ended.Stream.Number}";
                        break;
                    default:
                        text = "nothing";
                        break;
                }

                var asked = (uint)random.NextUpTo((int)last);
                Assert.All(peers, one => Assert.Same(open.Find(stream => stream.Stream.Number == asked && stream.Stream.Peer == one).Stream, table.Find(asked, one)));
                Assert.All(open, one => Assert.Same(one.Stream, table.Find(one.Stream.Number, one.Stream.Peer)));
                for (var request = 0u; request < 3; request++)
                    Assert.All(peers, one => Assert.Same(items.Find(carried => carried.Id == request && carried.Peer == one).Stream, table.Find(StreamTable.ItemsOfRequest + request, one)));
                Assert.All(peers, one => Assert.Equal(open.Count(stream => stream.Stream.Peer == one), one.OpenStreams));
                return text;
            };

            int CountOf(Peer peer) => transfers.Count(one => one == peer) + open.Count(one => one.IsLimited && one.Stream.Peer == peer);

            void Added(OutgoingStream stream, bool isLimited)
            {
                Assert.Equal(++last, stream.Number);
                open.Add((stream, isLimited));
            }
        });

        await first.DisposeAsync();
        await second.DisposeAsync();
        await Signal.UntilAsync(() => peers.All(static peer => peer.OpenStreams == 0));
        Assert.All(items, one => Assert.Null(table.EndItems(one.Stream))); // each call ends its own items
        Assert.All(open, one => Assert.Null(table.Find(one.Stream.Number, one.Stream.Peer)));
        var late = new TestStream(peers[0]);
        table.Add(late);
        Assert.Equal((null, 0), (table.Find(late.Number, late.Peer), late.Peer.OpenStreams)); // its peer has ended
    }

    /// <summary>The model: counters of the items that the source may give, that were requested, and that were read. Each item is a block.</summary>
    [Fact]
    public async Task Window_of_a_stream_is_a_counter_of_requested_and_read_blocks()
    {
        const int Window = 4;
        const int Ahead = 2; // one block that was not taken, and one item that waits for its place
        const int Steps = 60;
        var endpoint = MessageEndpoint.InProcess($"windows-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint);
        await using var client = await MessageHost.ConnectAsync(endpoint);
        var consumer = await server.Connection().InTime();
        for (var seed = 0; seed < Extent.Of(10, 60); seed++)
        {
            var random = new Random(seed);
            var state = $"seed {seed}";
            using var source = new Source();
            using var produced = new ItemStream<int>(consumer, Source.Contract.Type, Source.Contract, source.ReadAsync);
            produced.Open();
            StreamTable.Of(server).Add(produced);
            using var incoming = new IncomingStream(client.Server, produced.Number);
            var (given, requested, read, hasEnded, fails) = (0, 0, 0, false, random.Next(3) == 0);
            Task<StreamBlock>? reading = null;
            for (var step = random.Next(Steps); step < Steps; step++)
            {
                switch (random.Next(10))
                {
                    case < 4 when !hasEnded:
                        var count = random.Pick([1, 1, 2, Window, Window + Ahead, Window + Ahead + 1]);
                        source.Give(count);
                        given += count;
                        state += $", {count} given";
                        break;
                    case 4 when !hasEnded && random.Next(4) == 0:
                        hasEnded = true;
                        source.End(fails);
                        state += ", end";
                        break;
                    case 5 when reading is null && read >= given && !hasEnded:
                        using (var waiting = new CancellationTokenSource())
                        {
                            var waits = incoming.ReadAsync(waiting.Token).AsTask();
                            requested = read + Window;
                            await waiting.CancelAsync();
                            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits.InTime());
                        }

                        state += ", canceled";
                        break;
                    default:
                        if (reading is not null)
                            break;
                        reading = incoming.ReadAsync(default).AsTask();
                        requested = read + Window;
                        state += ", read";
                        break;
                }

                if (reading is not null && read < given)
                {
                    var block = await reading.InTime();
                    Assert.True(!block.IsEnd && Source.NumberOf(block) == read, $"Block {read} is {Source.NumberOf(block)}: {state}");
                    block.Return(isSecret: false);
                    (reading, read) = (null, read + 1);
                }
                else if (reading is not null && hasEnded)
                {
                    if (fails)
                        Assert.Equal(Source.Code, (await Assert.ThrowsAsync<RequestFaultException>(() => reading.InTime())).Code);
                    else
                        Assert.True((await reading.InTime()).IsEnd, state);
                    reading = null;
                    break;
                }

                var expected = requested == 0 ? 0 : Math.Min(given, requested + Ahead);
                await Signal.UntilAsync(() => source.Yielded >= expected);
                Assert.True(source.Yielded == expected, $"{source.Yielded} items and not {expected} were taken from the source: {state}");
            }

            incoming.Dispose();
            await Signal.UntilAsync(() => consumer.OpenStreams == 0);
            Assert.Null(StreamTable.Of(server).Find(produced.Number, consumer));
            if (requested > 0)
                await Signal.UntilAsync(() => source.IsOver);
        }
    }

    private static string Enter(string text, bool isFull, Action enter)
    {
        if (!isFull)
            enter();
        else
            Assert.Equal((int)FaultCode.TooManyStreams, Assert.Throws<RequestFaultException>(enter).Code);
        return isFull ? $"{text} beyond the limit" : text;
    }

    private sealed class TestStream(Peer peer) : OutgoingStream(peer, isSecret: false)
    {
        protected override ValueTask<StreamBlock> TakeAsync(int maxBytes) => new(StreamBlock.End);

        protected override void OnClosed()
        {
            // Nothing waits.
        }
    }

    /// <summary>Yields as many items as the test gives. The frame of an item is exactly as large as a block.</summary>
    private sealed class Source : IDisposable
    {
        public const int Code = 1234;

        public static readonly MessageContract<int> Contract = new(60, new Serializer());

        private const int FrameHeader = 3 + 1; // the length, and the header of an event
        private readonly SemaphoreSlim _given = new(0);
        private int _yielded;
        private bool _hasEnded;
        private bool _fails;
        private volatile bool _isOver;

        public int Yielded => Volatile.Read(ref _yielded);

        /// <summary>Whether the enumeration was disposed.</summary>
        public bool IsOver => _isOver;

        public static int NumberOf(StreamBlock block) => block.IsEnd ? -1 : BitConverter.ToInt32(block.Memory.Span.Slice(FrameHeader));

        public void Dispose() => _given.Dispose();

        public void Give(int count) => _given.Release(count);

        public void End(bool fails)
        {
            (_hasEnded, _fails) = (true, fails);
            _given.Release();
        }

        public async IAsyncEnumerable<int> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
        {
            try
            {
                for (var number = 0; ; number++)
                {
                    await _given.WaitAsync(cancellationToken);
                    if (_hasEnded && _given.CurrentCount == 0)
                        break;
                    Interlocked.Increment(ref _yielded);
                    yield return number;
                }

                if (_fails)
                    throw new RequestFaultException(Code, "The source has failed.");
            }
            finally
            {
                _isOver = true;
            }
        }

        private sealed class Serializer : IMessageSerializer<int>
        {
            public string Name => "block";

            public void Serialize(in int value, MessageBuffer buffer)
            {
                buffer.WriteFixed(value);
                buffer.Write(new byte[IncomingStream.BlockSize - FrameHeader - sizeof(int)]);
            }

            public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value)
            {
                value = BitConverter.ToInt32(payload);
                return true;
            }
        }
    }
}
