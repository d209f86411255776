using BenchmarkDotNet.Attributes;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks.Packing;

/// <summary>Packs 100,000 messages with a struct of 12 bytes.</summary>
/// <remarks>Serializing costs almost nothing here, and the compressor only copies, so the rows show the cost of the library. The setup compares a byte of each packed message with its value.</remarks>
[MemoryDiagnoser]
public class PackBenchmarks
{
    private const int NumItems = 100_000;

    private readonly MessageWriter _writer = new();
    private readonly MessageBatch _batch = new();
    private readonly byte[] _buffer = new byte[NumItems * Contracts.PlainSize + 16];
    private readonly Int3[] _values = new Int3[NumItems];
    private readonly ProtoInt3 _proto = new() { X = 1, Y = 2, Z = 3 };
    private readonly MessageContract<Int3> _compressed = new(
        Contracts.FirstKind,
        new BlittableSerializer<Int3>(),
        new CompressionOptions(new CopyCompressor(), threshold: 0, evenIfLarger: true));

    [GlobalSetup]
    public void Setup()
    {
        for (var i = 0; i < NumItems; i++)
            _values[i] = new Int3(i, i * 2, i * 3);

        var expected = SerializeOnly_RentAndReturn();
        if (Serialize_And_Pack() != expected || Serialize_And_Pack_Compressed() != expected || Serialize_And_Append() != SerializeOnly_BASELINE() || SerializeOnly_RentAndReturn_Protobuf() != NumItems)
            throw new InvalidOperationException("The packed messages do not contain the values that were packed.");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = NumItems)]
    public long SerializeOnly_BASELINE() => Floors.Append(_buffer, _values);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Append() => Paths.Append(_writer, _batch, _values);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long SerializeOnly_RentAndReturn() => Floors.Pack(_values);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Pack() => Paths.Pack(_writer, Contracts.Int3, 1, _values);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long SerializeOnly_RentAndReturn_Protobuf() => ProtobufPaths.Pack(_proto, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long Serialize_And_Pack_Compressed() => Paths.Pack(_writer, _compressed, 5, _values);
}
