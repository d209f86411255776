using BenchmarkDotNet.Attributes;
using ModLoader;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>Packs, dispatches and deserializes the configuration of a mod in four ways, and a small message in two ways.</summary>
/// <remarks>The setup checks that all ways return the same message.</remarks>
[MemoryDiagnoser]
public class ContractBenchmarks
{
    private const int NumItems = 100;

    private readonly MessageWriter _writer = new();
    private readonly MessageDispatcher<long> _dispatcher = new();
    private readonly MessageContract<ModConfig> _json = new(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
    private readonly MessageContract<ModConfig> _generated = MessageContract.GetDeclared<ModConfig>();
    private readonly MessageContract<PooledModConfig> _pooled = MessageContract.GetDeclared<PooledModConfig>();
    private readonly MessageContract<ModStatus> _status = MessageContract.GetDeclared<ModStatus>();
    private readonly PooledModConfig[] _configs = new PooledModConfig[NumItems];
    private readonly ModStatus[] _statuses = new ModStatus[NumItems];
    private readonly ProtoStatus _proto = new() { Id = 42, Size = 123_456_789, Progress = 0.75, IsLoaded = true, Flags = 5, Name = "example.remote.server", Path = "Mods/example.remote.server" };
    private readonly byte[] _buffer = new byte[256];
    private readonly ProtoModConfig _protoConfig = Samples.ToProtobuf(Samples.All[^1]);
    private readonly byte[] _configBuffer = new byte[8192];

    [GlobalSetup]
    public void Setup()
    {
        Array.Fill(_configs, Samples.All[^1]);
        Array.Fill(_statuses, new ModStatus { Id = 42, Size = 123_456_789, Progress = 0.75, IsLoaded = true, Flags = 5, Name = _proto.Name, Path = _proto.Path });
        _ = _dispatcher.Register(_json, static (in ModConfig config, ref long sum) => sum += config.ModId.Length + config.ModDescription!.Length);
        _ = _dispatcher.Register(_generated, static (in ModConfig config, ref long sum) => sum += config.ModId.Length + config.ModDescription!.Length);
        _ = _dispatcher.Register(_pooled, static (in PooledModConfig config, ref long sum) => sum += config.ModId.Length + config.ModDescription!.Length);
        _ = _dispatcher.Register(_status, static (in ModStatus status, ref long sum) => sum += status.Id + status.Name.Length + status.Path.Length);
        if (ModConfig_Json() != ModConfig_Generated() || ModConfig_Json() != ModConfig_Pooled() || ModConfig_Json() != ModConfig_Protobuf() || SmallMessage_Protobuf() != SmallMessage_Generated())
            throw new InvalidOperationException("Two ways of serializing returned different messages.");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = NumItems)]
    public long ModConfig_Json() => ContractPaths.RoundTrip<ModConfig>(_writer, _json, _dispatcher, _configs);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long ModConfig_Generated() => ContractPaths.RoundTrip<ModConfig>(_writer, _generated, _dispatcher, _configs);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long ModConfig_Pooled() => ContractPaths.RoundTrip(_writer, _pooled, _dispatcher, _configs);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long ModConfig_Protobuf() => ProtobufPaths.RoundTrip(_protoConfig, _configBuffer, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long SmallMessage_Protobuf() => ContractFloors.Protobuf(_proto, _buffer, NumItems);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long SmallMessage_Generated() => ContractPaths.RoundTrip(_writer, _status, _dispatcher, _statuses);
}
