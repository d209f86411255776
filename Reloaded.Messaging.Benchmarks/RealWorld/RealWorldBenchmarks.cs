using System.Buffers;
using System.Text.Json;
using BenchmarkDotNet.Attributes;
using ModLoader;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks.RealWorld;

/// <summary>Sends the configuration of a mod as JSON. The rows range from serializing alone to the complete path. The rows of Google.Protobuf send the same fields, with the data of plugins as text.</summary>
/// <remarks>The setup checks that every row that handles a message reaches its handler, with the serialized payload.</remarks>
[MemoryDiagnoser]
public class RealWorldBenchmarks
{
    private const int NumItems = 1_000;

    private readonly ModConfig _config = Samples.Typical;
    private readonly MessageWriter _writer = new();
    private readonly MessageContract<ModConfig> _contract = new(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
    private readonly MessageDispatcher<long> _raw = new();
    private readonly MessageDispatcher<long> _typed = new();
    private readonly ArrayBufferWriter<byte> _buffer = new(4096);
    private readonly Utf8JsonWriter _json;
    private readonly ProtoModConfig _proto = Samples.ToProtobuf(Samples.Typical);
    private readonly byte[] _protoBuffer = new byte[8192];
    private readonly List<byte[]> _messages = [];

    public RealWorldBenchmarks() => _json = new Utf8JsonWriter(_buffer, new JsonWriterOptions { SkipValidation = true });

    [GlobalSetup]
    public void Setup()
    {
        _ = _raw.RegisterRaw(20, static (in header, payload, ref sum) => sum += payload.Length);
        _ = _typed.Register(_contract, static (in message, ref sum) => sum += message.ModId.Length);
        var serialized = SerializeOnly_NoPack_To_SingleBuffer();
        if (SerializeOnly_NoPack_To_BufferPerMessage() != serialized || Serialize_And_Pack() != serialized || Serialize_And_Pack_And_Handle() != serialized)
            throw new InvalidOperationException("A row packed or handled bytes that differ from the serialized bytes.");
        if (Serialize_And_Pack_And_Handle_And_Unpack_And_Deserialize() != (long)_config.ModId.Length * NumItems)
            throw new InvalidOperationException("The typed handler was not called for every configuration.");
        if (Serialize_And_Deserialize_Protobuf() != (long)(_config.ModId.Length + _config.ModDescription!.Length) * NumItems)
            throw new InvalidOperationException("Google.Protobuf returned another configuration.");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = NumItems)]
    public long SerializeOnly_NoPack_To_SingleBuffer() => Floors.JsonSerialize(_buffer, _json, _config, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long SerializeOnly_NoPack_To_BufferPerMessage()
    {
        long sum = 0;
        _messages.Clear();
        for (var i = 0; i < NumItems; i++)
        {
            _buffer.ResetWrittenCount();
            _json.Reset(_buffer);
            JsonSerializer.Serialize(_json, _config, ModConfigContext.Default.ModConfig);
            _messages.Add(_buffer.WrittenSpan.ToArray());
            sum += _messages[i].Length;
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long SerializeOnly_Protobuf() => ProtobufPaths.Serialize(_proto, _protoBuffer, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Deserialize_Protobuf() => ProtobufPaths.RoundTrip(_proto, _protoBuffer, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Pack() => Paths.JsonPack(_writer, _contract, _config, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Pack_And_Handle() => Paths.JsonRoundTrip(_writer, _contract, _raw, _config, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Pack_And_Handle_And_Unpack_And_Deserialize() => Paths.JsonRoundTrip(_writer, _contract, _typed, _config, NumItems);
}
