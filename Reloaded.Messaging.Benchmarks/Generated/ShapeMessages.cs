using System.Linq;
using MemoryPack;
using MessagePack;
using MessagePack.Formatters;

namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>A message with a value to send.</summary>
public interface ISampleMessage<TSelf>
{
    static abstract TSelf Sample { get; }
}

/// <summary>An interface of a collection.</summary>
[Message, MemoryPackable, MessagePackObject(true)]
public sealed partial record RoutesNote(IReadOnlyDictionary<string, int> Routes) : ISampleMessage<RoutesNote>
{
    public static RoutesNote Sample => new(Enumerable.Range(0, 20).ToDictionary(static i => $"route {i}", static i => i * 1000));
}

/// <summary>A collection other than a list.</summary>
[Message, MemoryPackable, MessagePackObject(true)]
public sealed partial record OrdersNote(Queue<string> Orders) : ISampleMessage<OrdersNote>
{
    public static OrdersNote Sample => new(new Queue<string>(Enumerable.Range(0, 20).Select(static i => $"order {i}")));
}

/// <summary>An array of two dimensions.</summary>
[Message, MemoryPackable, MessagePackObject(true)]
public sealed partial record TilesNote(int[,] Tiles) : ISampleMessage<TilesNote>
{
    public static TilesNote Sample => new(new int[32, 32]);
}

/// <summary>Tuples that are classes.</summary>
[Message, MemoryPackable, MessagePackObject(true)]
public sealed partial record ScoresNote(Tuple<int, string>[] Scores) : ISampleMessage<ScoresNote>
{
    public static ScoresNote Sample => new([.. Enumerable.Range(0, 20).Select(static i => Tuple.Create(i * 1000, $"player {i}"))]);
}

/// <summary>A class of another library.</summary>
[Message, MemoryPackable, MessagePackObject(true)]
public sealed partial record TintNote([property: MessageConverter(typeof(TintConverter)), TintFormatter, MessagePackFormatter(typeof(TintMessagePackFormatter))] Tint Tint, int Id) : ISampleMessage<TintNote>
{
    public static TintNote Sample => new(Tint.Of(0x01020304), 5);
}

/// <summary>A class without public members, as another library may have it.</summary>
public sealed class Tint
{
    private readonly int _argb;

    private Tint(int argb) => _argb = argb;

    public static Tint Of(int argb) => new(argb);

    public int Pack() => _argb;
}

public static class TintConverter
{
    public static int ToSurrogate(Tint value) => value.Pack();

    public static bool TryFromSurrogate(int surrogate, out Tint value)
    {
        value = Tint.Of(surrogate);
        return true;
    }
}

[AttributeUsage(AttributeTargets.Property)]
public sealed class TintFormatterAttribute : MemoryPackCustomFormatterAttribute<Tint>
{
    public override IMemoryPackFormatter<Tint> GetFormatter() => new TintMemoryPackFormatter();
}

public sealed class TintMemoryPackFormatter : MemoryPackFormatter<Tint>
{
    public override void Serialize<TBufferWriter>(ref MemoryPackWriter<TBufferWriter> writer, scoped ref Tint? value) => writer.WriteUnmanaged(value!.Pack());

    public override void Deserialize(ref MemoryPackReader reader, scoped ref Tint? value) => value = Tint.Of(reader.ReadUnmanaged<int>());
}

public sealed class TintMessagePackFormatter : IMessagePackFormatter<Tint>
{
    public void Serialize(ref MessagePackWriter writer, Tint value, MessagePackSerializerOptions options) => writer.Write(value.Pack());

    public Tint Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) => Tint.Of(reader.ReadInt32());
}
