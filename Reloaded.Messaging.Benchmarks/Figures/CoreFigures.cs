using System;
using System.Buffers;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Threading.Channels;
using ModLoader;
using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Group <c>core</c>: packing, dispatching, JSON, compression and the queue, each compared with its floor.</summary>
public sealed class CoreFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Block = 1000;
    private const int AllocationCalls = 100; // calls with one block each: 100,000 messages

    private readonly MessageWriter _writer = new();
    private readonly Int3[] _values = MakeValues();

    public override void Measure()
    {
        Dispatch();
        Append();
        Pack();
        PackCompressed();
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
        DispatchKinds<OneSum>("dispatch.one", 1, 1.2);
        DispatchKinds<EightSum>("dispatch.eight", 8, 1.1);

        var messages = Contracts.PlainMessages(Block, 1);
        var handlers = EightKinds.Floor<KindSum>();
        var raw = new MessageDispatcher<KindSum>();
        raw.RegisterRaw(Contracts.FirstKind, [MethodImpl(MethodImplOptions.NoInlining)] static (in header, payload, ref sum) => sum.Add(BitConverter.ToInt32(payload)));
        var race = Race.Run("dispatch.raw", Block, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, raw));
        Report("dispatch.raw.ns", "ns", race.Measured);

        var tracked = EightKinds.Dispatcher<KindSum>(new DispatcherOptions { TrackRunningHandlers = true });
        race = Race.Run("dispatch.tracked", Block, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, tracked));
        Report("dispatch.tracked.ns", "ns", race.Measured);
    }

    private void DispatchKinds<TSum>(string name, int kinds, double reach)
        where TSum : struct, ISum
    {
        const int Many = 20 * Block; // too many for the branch predictor to learn the order of the messages
        var messages = Contracts.PlainMessages(Many, kinds);
        var handlers = EightKinds.Floor<TSum>();
        var dispatcher = EightKinds.Dispatcher<TSum>();
        var race = Race.Run(name, Many, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, dispatcher));
        Report($"{name}.ratio", "ratio", race.Ratios, reach);
        ReportSpeed(name, race);
        if (kinds == 8)
            ReportAllocation("dispatch.alloc", () => Paths.Dispatch(messages, dispatcher), Many, 5);
    }

    private void Append()
    {
        var buffer = new byte[Block * (Contracts.PlainSize + 4)];
        using var batch = new MessageBatch();
        var race = Race.Run("append", Block, () => Floors.Append(buffer, _values), () => Paths.Append(_writer, batch, _values));
        Report("append.ratio", "ratio", race.Ratios, 3);
        ReportSpeed("append", race);
        ReportAllocation("append.alloc", () => Paths.Append(_writer, batch, _values));
    }

    private void Pack()
    {
        var race = Race.Run("pack", Block, () => Floors.Pack(_values), () => Paths.Pack(_writer, Contracts.Int3, 1, _values));
        Report("pack.ratio", "ratio", race.Ratios, 1.2);
        ReportSpeed("pack", race);
        ReportAllocation("pack.alloc", () => Paths.Pack(_writer, Contracts.Int3, 1, _values));
    }

    private void PackCompressed()
    {
        var policy = new CompressionOptions(new CopyCompressor(), threshold: 0) { EvenIfLarger = true };
        var contract = new MessageContract<Int3>(Contracts.FirstKind, new BlittableSerializer<Int3>(), policy);
        var race = Race.Run(
            "pack.compressed-header",
            Block,
            () => Paths.Pack(_writer, Contracts.Int3, 1, _values),
            () => Paths.Pack(_writer, contract, 5, _values));
        Report("pack.compressed-header.ratio", "ratio", race.Ratios, 2.5);
        Report("pack.compressed-header.ns", "ns", race.Measured);
        ReportAllocation("pack.compressed-header.alloc", () => Paths.Pack(_writer, contract, 5, _values));
    }

    private void Json()
    {
        const int Configs = 50;
        var config = Samples.Typical;
        var contract = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        var dispatcher = new MessageDispatcher<long>();
        dispatcher.Register(contract, static (in message, ref sum) => sum += message.ModId.Length);
        var buffer = new ArrayBufferWriter<byte>(4096);
        using var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true });

        var race = Race.Run("json.pack", Configs, () => Floors.JsonSerialize(buffer, writer, config, Configs), () => Paths.JsonPack(_writer, contract, config, Configs));
        Report("json.pack.ratio", "ratio", race.Ratios, 1.03);
        ReportSpeed("json.pack", race);
        ReportAllocation("json.pack.alloc", () => Paths.JsonPack(_writer, contract, config, Block));

        race = Race.Run(
            "json.roundtrip",
            Configs,
            () => Floors.JsonRoundTrip(buffer, writer, config, Configs),
            () => Paths.JsonRoundTrip(_writer, contract, dispatcher, config, Configs),
            roundMilliseconds: 80);
        Report("json.roundtrip.ratio", "ratio", race.Ratios, 1.03);
        ReportSpeed("json.roundtrip", race);
    }

    private void LZ4()
    {
        const int Configs = 50;
        var compressor = new LZ4Compressor();
        var source = Samples.Bytes("example.remote.server.json");
        var packed = new byte[compressor.GetMaxCompressedSize(source.Length)];
        compressor.TryCompress(source, packed, out var size);
        var compressed = packed.AsSpan(0, size).ToArray();
        var target = new byte[source.Length];

        var race = Race.Run("lz4.encode", Configs, () => LZ4Floor.Compress(source, packed, Configs), () => Paths.Compress(compressor, source, packed, Configs));
        Report("lz4.encode.ratio", "ratio", race.Ratios, 1.1);
        Report("lz4.encode.ns", "ns", race.Measured);
        race = Race.Run("lz4.decode", Configs, () => LZ4Floor.Decompress(compressed, target, Configs), () => Paths.Decompress(compressor, compressed, target, Configs));
        Report("lz4.decode.ratio", "ratio", race.Ratios, 1.1);
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
        dispatcher.Register(Contracts.Int3, static (in message, ref state) => state.Sum += message.X);
        using var queue = new MessageQueue<int>(1024);
        var channel = Channel.CreateBounded<(PackedMessage, int)>(new BoundedChannelOptions(1024) { SingleReader = true });
        var race = Race.Run("queue", Block, () => Floors.Queue(channel, dispatcher, _writer, Block), () => Paths.Queue(queue, dispatcher, _writer, Block));
        Report("queue.ratio", "ratio", race.Ratios, 0.7);
        ReportSpeed("queue", race);
        ReportAllocation("queue.alloc", () => Paths.Queue(queue, dispatcher, _writer, Block));
    }

    private void ReportAllocation(string name, Func<long> path, int messages = Block, int calls = AllocationCalls) =>
        Report(name, "B", [Race.Allocated(messages, calls, path)], 0);
}
