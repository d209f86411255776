using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Threading.Channels;
using Google.Protobuf;
using ModLoader;
using Reloaded.Messaging.Benchmarks.Generated;
using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Group <c>core</c>: packing, dispatching, JSON, compression and the queue, each compared with its floor.</summary>
public sealed class CoreFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Block = 1000;
    private const int AllocationCalls = 100; // calls with one block each: 100,000 messages

    private readonly MessageWriter _writer = new();
    private readonly Int3[] _values = MakeValues();

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["json.pack.ratio"] = "Both sides call the same writer of System.Text.Json. The rest is the packed message and its release.",
        ["dispatch.one.ratio"] = "The difference is about 0.6 ns. With handlers that the compiler may inline (`dispatch.one.inlinable`), both sides take the same time.",
        ["dispatch.unhandled.ns"] = "A message without a handler is counted by an atomic operation. Without it, threads that dispatch at once would lose counts.",
        ["append.ratio"] = "A batch also counts its messages, and checks the size of the previous length. `append.all` does both once for many values.",
        ["pack.ratio"] = "A packed message has a generation, which detects each use after the release. The floor returns its array without one.",
        ["pack.compressed-header.ratio"] = "The payload is serialized into a buffer of its own, because its size has to be known before it is compressed, and is copied from there.",
    };

    public override string Method => "Each ratio compares the library with the least code that does the same by hand (`Figures/Floors.cs`), or with the library that the figure names; `pack.compressed-header` is compared with `pack`. `append` is compared with a buffer whose frames have a length and a check of the room, and `append.all` with frames without them. `lz4.decode` is compared with liblz4 after a check by hand that no match of the block has the offset 0, which liblz4 accepts. " + Race.Method;

    public override void Measure()
    {
        Dispatch();
        Append();
        Pack();
        PackCompressed();
        Protobuf();
        Json();
        LZ4();
        Brotli();
        Queue();
    }

    private static Int3[] MakeValues()
    {
        var values = new Int3[Block];
        for (var i = 0; i < Block; i++)
            values[i] = new Int3(i, i * 2, i * 3);
        return values;
    }

    private void Dispatch()
    {
        DispatchKinds<OneSum>("dispatch.one", 1, 1.1);
        DispatchKinds<EightSum>("dispatch.eight", 8, 1.08);
        DispatchInlinable();
        DispatchUnhandled();

        var messages = Contracts.PlainMessages(Block, 1);
        var handlers = EightKinds.Floor<KindSum>();
        var raw = new MessageDispatcher<KindSum>();
        _ = raw.RegisterRaw(Contracts.FirstKind, [MethodImpl(MethodImplOptions.NoInlining)] static (in header, payload, ref sum) => sum.Add(BitConverter.ToInt32(payload)));
        var race = RunRace("dispatch.raw", Block, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, raw));
        Report("dispatch.raw.ns", "ns", race.Measured);

        var tracked = EightKinds.Dispatcher<KindSum>(trackRunningHandlers: true);
        race = RunRace("dispatch.tracked", Block, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, tracked));
        Report("dispatch.tracked.ns", "ns", race.Measured);
    }

    private void DispatchKinds<TSum>(string name, int kinds, double reach)
        where TSum : struct, ISum
    {
        const int Many = 20 * Block; // too many for the branch predictor to learn the order of the messages
        var messages = Contracts.PlainMessages(Many, kinds);
        var handlers = EightKinds.Floor<TSum>();
        var dispatcher = EightKinds.Dispatcher<TSum>();
        var race = RunRace(name, Many, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, dispatcher));
        ReportRace(name, race, reach);
        if (kinds == 8)
            ReportAllocation("dispatch.alloc", () => Paths.Dispatch(messages, dispatcher), Many, 5);
    }

    /// <summary>The same as <c>dispatch.one</c>, with handlers that the compiler may inline into the loop of either side.</summary>
    private void DispatchInlinable()
    {
        var messages = Contracts.PlainMessages(20 * Block, 1);
        var handlers = EightKinds.InlinableFloor<InlinedSum>();
        var dispatcher = EightKinds.InlinableDispatcher<InlinedSum>();
        var race = RunRace("dispatch.one.inlinable", 20 * Block, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, dispatcher));
        ReportRace("dispatch.one.inlinable", race, null);
    }

    /// <summary>Messages of a type without a handler. They are counted.</summary>
    private void DispatchUnhandled()
    {
        var messages = Contracts.PlainMessages(Block, 1);
        var dispatcher = new MessageDispatcher<KindSum>();
        var statuses = new long[byte.MaxValue + 1];
        var race = RunRace("dispatch.unhandled", Block, () => Floors.Count(messages, statuses), () => Paths.Unhandled(messages, dispatcher));
        Report("dispatch.unhandled.floor.ns", "ns", race.Floor);
        Report("dispatch.unhandled.ns", "ns", race.Measured, 8);
        ReportAllocation("dispatch.unhandled.alloc", () => Paths.Unhandled(messages, dispatcher));
    }

    private void Append()
    {
        var buffer = new byte[Block * (Contracts.PlainSize + 4)];
        using var batch = new MessageBatch();
        var frames = new FrameCursor(Block * FrameCursor.FrameSize);
        var race = RunRace("append", Block, () => Floors.Append(frames, _values), () => Paths.Append(_writer, batch, _values));
        ReportRace("append", race, 1.3);
        ReportAllocation("append.alloc", () => Paths.Append(_writer, batch, _values));
        race = RunRace("append.all", Block, () => Floors.Append(buffer, _values), () => Paths.AppendAll(_writer, batch, _values));
        ReportRace("append.all", race, 1.6);
        ReportAllocation("append.all.alloc", () => Paths.AppendAll(_writer, batch, _values));
    }

    private void Pack()
    {
        var race = RunRace("pack", Block, () => Floors.Pack(_values), () => Paths.Pack(_writer, Contracts.Int3, 1, _values));
        ReportRace("pack", race, 1);
        ReportAllocation("pack.alloc", () => Paths.Pack(_writer, Contracts.Int3, 1, _values));
    }

    private void PackCompressed()
    {
        var policy = new CompressionOptions(new CopyCompressor(), threshold: 0, evenIfLarger: true);
        var contract = new MessageContract<Int3>(Contracts.FirstKind, new BlittableSerializer<Int3>(), policy);
        var race = RunRace(
            "pack.compressed-header",
            Block,
            () => Paths.Pack(_writer, Contracts.Int3, 1, _values),
            () => Paths.Pack(_writer, contract, 5, _values));
        Report("pack.compressed-header.ratio", "ratio", race.Ratios, 1.9);
        Report("pack.compressed-header.ns", "ns", race.Measured);
        ReportAllocation("pack.compressed-header.alloc", () => Paths.Pack(_writer, contract, 5, _values));
    }

    /// <summary>A struct and a text message, packed and dispatched, beside Google.Protobuf.</summary>
    private void Protobuf()
    {
        var proto = new ProtoInt3 { X = 1, Y = 2, Z = 3 };
        AddPeer("pack a struct of 12 bytes", "Google.Protobuf", ReportPeer(
            "pack.protobuf",
            Block,
            () => ProtobufPaths.Pack(proto, Block),
            () => Paths.PackOne(_writer, Contracts.Int3, new Int3(1, 2, 3), Block)));

        var text = new TextLine { From = 1_234_567_890_123, Channel = 3, Colour = 0xFF_FF_FF, Text = "Meet me at the mill." };
        var protoText = new ProtoText { From = text.From, Channel = text.Channel, Colour = text.Colour, Text = text.Text };
        var contract = MessageContract.GetDeclared<TextLine>();
        var dispatcher = new MessageDispatcher<long>();
        _ = dispatcher.Register<TextLine>(static (in line, ref sum) => sum += line.Channel + line.Text.Length);
        using var packed = _writer.Pack(contract, text);
        var (message, payload) = (packed.Span.ToArray(), protoText.ToByteArray());
        using var batch = new MessageBatch(1 << 20);
        var buffer = new byte[Block * (payload.Length + 8)];
        AddPeer("append a text message to a batch", "Google.Protobuf", ReportPeer(
            "text.append",
            Block,
            () => ProtobufPaths.Append(protoText, buffer, Block),
            () => Paths.AppendText(_writer, batch, contract, text, Block)));
        AddPeer("dispatch a text message", "Google.Protobuf", ReportPeer(
            "text.dispatch",
            Block,
            () => ProtobufPaths.Parse(payload, Block),
            () => Paths.DispatchText(message, dispatcher, Block)));
    }

    private Race ReportPeer(string name, int messages, Func<long> peer, Func<long> measured)
    {
        var race = RunRace(name, messages, peer, measured, roundMilliseconds: 20);
        ReportRace(name, race, null);
        return race;
    }

    private void Json()
    {
        const int Configs = 50;
        var config = Samples.Typical;
        var contract = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        var dispatcher = new MessageDispatcher<long>();
        _ = dispatcher.Register(contract, static (in message, ref sum) => sum += message.ModId.Length);
        var buffer = new ArrayBufferWriter<byte>(4096);
        using var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true });

        var race = RunRace("json.pack", Configs, () => Floors.JsonSerialize(buffer, writer, config, Configs), () => Paths.JsonPack(_writer, contract, config, Configs));
        ReportRace("json.pack", race, 1.03);
        ReportAllocation("json.pack.alloc", () => Paths.JsonPack(_writer, contract, config, Block));

        race = RunRace(
            "json.roundtrip",
            Configs,
            () => Floors.JsonRoundTrip(buffer, writer, config, Configs),
            () => Paths.JsonRoundTrip(_writer, contract, dispatcher, config, Configs),
            roundMilliseconds: 80);
        ReportRace("json.roundtrip", race, 1.03);
    }

    private void LZ4()
    {
        const int Configs = 50;
        var compressor = new NativeLZ4Compressor();
        var source = Samples.Bytes("example.remote.server.json");
        var packed = new byte[compressor.GetMaxCompressedSize(source.Length)];
        compressor.TryCompress(source, packed, out var size);
        var compressed = packed.AsSpan(0, size).ToArray();
        var target = new byte[source.Length];

        var race = RunRace("lz4.encode", Configs, () => LZ4Floor.Compress(source, packed, Configs), () => Paths.Compress(compressor, source, packed, Configs));
        Report("lz4.encode.ratio", "ratio", race.Ratios, 1.1);
        Report("lz4.encode.ns", "ns", race.Measured);
        race = RunRace("lz4.decode", Configs, () => LZ4Floor.Decompress(compressed, target, Configs), () => Paths.Decompress(compressor, compressed, target, Configs));
        Report("lz4.decode.ratio", "ratio", race.Ratios, 1.2);
        Report("lz4.decode.ns", "ns", race.Measured);
        ReportAllocation(
            "lz4.alloc",
            () => Paths.Compress(compressor, source, packed, Block) + Paths.Decompress(compressor, compressed, target, Block));
    }

    private void Brotli()
    {
        var policy = new CompressionOptions(new BrotliCompressor());
        var contract = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig), policy);
        ReportAllocation("brotli.alloc", () => BrotliRoundTrip(contract, Block));
        BrotliDecode("brotli.decode.1k", 1024, 100);
        BrotliDecode("brotli.decode.64k", 64 * 1024, 4);
    }

    /// <summary>Decoding through the compressor, which refuses bytes after the stream, compared with the decoder of the framework, which ignores them.</summary>
    private void BrotliDecode(string name, int size, int count)
    {
        var compressor = new BrotliCompressor();
        var sample = Samples.Bytes("example.remote.server.json");
        var source = new byte[size];
        for (var i = 0; i < size; i++)
            source[i] = (byte)(sample[i % sample.Length] + (i / sample.Length));
        var packed = new byte[compressor.GetMaxCompressedSize(size)];
        compressor.TryCompress(source, packed, out var written);
        var (compressed, target) = (packed.AsSpan(0, written).ToArray(), new byte[size]);
        var race = RunRace(name, count, () => Floors.BrotliDecode(compressed, target, count), () => Paths.Decompress(compressor, compressed, target, count), roundMilliseconds: 20);
        Report($"{name}.ratio", "ratio", race.Ratios, 1.05);
        Report($"{name}.ns", "ns", race.Measured);
    }

    /// <summary>Packs with compression and decompresses, without the object that deserializing JSON would create.</summary>
    private long BrotliRoundTrip(MessageContract<ModConfig> contract, int count)
    {
        long sum = 0;
        Span<byte> target = stackalloc byte[4096];
        for (var i = 0; i < count; i++)
        {
            using var packed = _writer.Pack(contract, Samples.Typical);
            var size = BitConverter.ToInt32(packed.Span.Slice(1));
            if (!contract.Compression!.Compressor.TryDecompress(packed.Span.Slice(5), target.Slice(0, size)))
                throw new InvalidOperationException("A message that was compressed in the previous step cannot be decompressed.");
            sum += size;
        }

        return sum;
    }

    private void Queue()
    {
        var dispatcher = new MessageDispatcher<SumState>();
        _ = dispatcher.Register(Contracts.Int3, static (in message, ref state) => state.Sum += message.X);
        using var queue = new MessageQueue<int>(1024);
        var channel = Channel.CreateBounded<(PackedMessage, int)>(new BoundedChannelOptions(1024) { SingleReader = true });
        var race = RunRace("queue", Block, () => Floors.Queue(channel, dispatcher, _writer, Block), () => Paths.Queue(queue, dispatcher, _writer, Block));
        ReportRace("queue", race, 0.7);
        ReportAllocation("queue.alloc", () => Paths.Queue(queue, dispatcher, _writer, Block));
        AddPeer("queue and dispatch, one thread", "System.Threading.Channels", race);

        // The producer is another thread. The messages of a round are many, so that its start is a small part of the time.
        const int Many = 50 * Block;
        race = RunRace("queue.threads", Many, () => Floors.QueueBetweenThreads(channel, dispatcher, _writer, Many), () => Paths.QueueBetweenThreads(queue, dispatcher, _writer, Many), roundMilliseconds: 40);
        ReportRace("queue.threads", race, null);
        AddPeer("queue and dispatch, from thread to thread", "System.Threading.Channels", race);
    }

    private void ReportAllocation(string name, Func<long> path, int messages = Block, int calls = AllocationCalls) =>
        Report(name, Figure.Bytes, [Race.Allocated(messages, calls, path)], 0);
}
