using BenchmarkDotNet.Attributes;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Dispatching;

/// <summary>Reads the header of 100,000 packed messages and calls their handlers.</summary>
/// <remarks>The setup checks that each message reaches its handler: the checksum must equal the checksum of the floor, which calls the handler directly.</remarks>
[MemoryDiagnoser]
public class DispatchBenchmarks
{
    private const int NumItems = 100_000;

    private byte[] _one = null!;
    private byte[] _eight = null!;
    private readonly Floors.Handler<OneSum>[] _oneHandlers = EightKinds.Floor<OneSum>();
    private readonly Floors.Handler<EightSum>[] _eightHandlers = EightKinds.Floor<EightSum>();
    private readonly MessageDispatcher<OneSum> _oneDispatcher = EightKinds.Dispatcher<OneSum>();
    private readonly MessageDispatcher<EightSum> _eightDispatcher = EightKinds.Dispatcher<EightSum>();

    [GlobalSetup]
    public void Setup()
    {
        _one = Contracts.PlainMessages(NumItems, 1);
        _eight = Contracts.PlainMessages(NumItems, 8);
        if (HandleMessage() != DelegateArray() || HandleMessage_EightTypes() != DelegateArray_EightTypes())
            throw new InvalidOperationException("The checksum of the dispatcher's handlers differs from the checksum of the floor's handlers.");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = NumItems)]
    public long DelegateArray() => Floors.Dispatch(_one, _oneHandlers);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long HandleMessage() => Paths.Dispatch(_one, _oneDispatcher);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long DelegateArray_EightTypes() => Floors.Dispatch(_eight, _eightHandlers);

    [Benchmark(OperationsPerInvoke = NumItems)]
    public long HandleMessage_EightTypes() => Paths.Dispatch(_eight, _eightDispatcher);
}
