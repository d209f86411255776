using System.Buffers;
using BenchmarkDotNet.Attributes;
using MemoryPack;
using MessagePack;

namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>Writes and reads five forms of members with this library, MemoryPack and MessagePack.</summary>
/// <remarks>The setup prints the sizes. Each library writes into a buffer that it reuses.</remarks>
[MemoryDiagnoser]
[GenericTypeArguments(typeof(RoutesNote))]
[GenericTypeArguments(typeof(OrdersNote))]
[GenericTypeArguments(typeof(TilesNote))]
[GenericTypeArguments(typeof(ScoresNote))]
[GenericTypeArguments(typeof(TintNote))]
public class ShapeBenchmarks<T>
    where T : class, ISampleMessage<T>
{
    private readonly MessageWriter _writer = new();
    private readonly MessageContract<T> _contract = MessageContract.GetDeclared<T>();
    private readonly ArrayBufferWriter<byte> _buffer = new(1 << 16);
    private readonly T _value = T.Sample;
    private byte[] _payload = [];
    private byte[] _memoryPack = [];
    private byte[] _messagePack = [];

    [GlobalSetup]
    public void Setup()
    {
        _payload = Payload();
        _memoryPack = MemoryPackSerializer.Serialize(_value);
        _messagePack = MessagePackSerializer.Serialize(_value);
        Console.WriteLine($"// {typeof(T).Name}: {_payload.Length} bytes, MemoryPack {_memoryPack.Length}, MessagePack {_messagePack.Length}");
        if (!_payload.AsSpan().SequenceEqual(Payload(Read())) || !_payload.AsSpan().SequenceEqual(Payload(Read_MemoryPack())) || !_payload.AsSpan().SequenceEqual(Payload(Read_MessagePack())))
            throw new InvalidOperationException($"Two libraries read different values of {typeof(T).Name}.");
    }

    [Benchmark(Baseline = true)]
    public int Write()
    {
        using var packed = _writer.Pack(_contract, _value);
        return packed.Length;
    }

    [Benchmark]
    public int Write_MemoryPack()
    {
        _buffer.ResetWrittenCount();
        MemoryPackSerializer.Serialize(_buffer, _value);
        return _buffer.WrittenCount;
    }

    [Benchmark]
    public int Write_MessagePack()
    {
        _buffer.ResetWrittenCount();
        MessagePackSerializer.Serialize(_buffer, _value);
        return _buffer.WrittenCount;
    }

    [Benchmark]
    public T Read() => _contract.Serializer.TryDeserialize(_payload, out var value) ? value! : throw new InvalidOperationException("The payload is refused.");

    [Benchmark]
    public T Read_MemoryPack() => MemoryPackSerializer.Deserialize<T>(_memoryPack)!;

    [Benchmark]
    public T Read_MessagePack() => MessagePackSerializer.Deserialize<T>(_messagePack);

    private byte[] Payload(T? value = null)
    {
        var plain = new MessageContract<T>(1, _contract.Serializer);
        using var packed = _writer.Pack(plain, value ?? _value);
        return packed.Span[1..].ToArray();
    }
}
