using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Immutable;
using System.Drawing;
using System.Net;
using System.Numerics;
using System.Text;
using Reloaded.Messaging.Tests.Generated;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Messages of types of the framework that are sent like other types, and messages that are written and created in other ways than by public setters.</summary>
internal static class FrameworkContracts
{
    public static Type[] All { get; } =
    [
        typeof(ImmutableRows), typeof(ImmutableKeys), typeof(FrozenKeys), typeof(Blocks), typeof(Tables), typeof(Wraps), typeof(Heaps), typeof(LargeNumbers), typeof(Pictures), typeof(Addresses),
        typeof(EveryMoment), typeof(Converted), typeof(ConvertedKeys), typeof(Hidden), typeof(Counted), typeof(Numbered), typeof(Squeezed), typeof(Known), typeof(Unbounded), typeof(Compared), typeof(Cases),
        typeof(PooledWraps), typeof(Flagged), typeof(Grown),
    ];
}

[Message]
public sealed record ImmutableRows(ImmutableList<int?> Value, IImmutableList<string?>? Names, ImmutableQueue<EmptyClass> Queue, IImmutableQueue<long>? Longs, ImmutableStack<string> Stack, IImmutableStack<(int, string?)>? Pairs, ConcurrentStack<List<byte>?> Concurrent, ImmutableArray<ImmutableArray<string?>> Arrays);

[Message]
public sealed record ImmutableKeys(ImmutableHashSet<long> Value, IImmutableSet<string?>? Set, ImmutableSortedSet<string?> Sorted, ImmutableDictionary<long, Matrix4x4?> Map, IImmutableDictionary<string, EmptyClass>? Names, ImmutableSortedDictionary<DateTimeOffset, int?>? Times);

[Message]
public sealed record FrozenKeys(FrozenSet<(long, int)> Value, FrozenDictionary<string, string?>? Map, IReadOnlySet<double>? Doubles, FrozenSet<string?> Texts, FrozenDictionary<int, FrozenSet<byte>> Bytes);

[Message]
public sealed record Blocks(Memory<int> Value, ReadOnlyMemory<string?> Texts, ArraySegment<Cell<double>> Cells, ArraySegment<Form?> Forms, ReadOnlyMemory<Form?> Others, Form?[] Covariant, IReadOnlyList<Form?>? Interface, List<ArraySegment<byte>?> Segments, (Memory<bool>, ArraySegment<string>)[]? Pairs);

[Message]
public sealed record Tables(int[,] Value, string?[,,]? Texts, List<byte[,]?> Grids, int[][,] Jagged, (Matrix4x4?[,], BitArray?)[] Both, bool[,,,] Flags, List<int>?[,]? Lists);

[Message]
public sealed record Wraps(KeyValuePair<string, SparseRow?>[] Value, Tuple<int, string?>? Pair, List<Tuple<long, List<int>?, string>?> Tuples, ValueTuple<string?>[] Alone, Tuple<int, int, int, int, int, int, int, Tuple<string?, long>>[] Many, KeyValuePair<int?, KeyValuePair<byte, string>>? Inner, Dictionary<KeyValuePair<int, long>, Tuple<int>> Map);

[Message]
public sealed record Heaps(List<PriorityQueue<string, int>> Value, PriorityQueue<EmptyClass?, (int, double)>? Second, PriorityQueue<List<int?>, DateTime> Third);

[Message]
public sealed record LargeNumbers(List<BigInteger> Value, Complex[] C, Rune[] R, nint[]? N, nuint U, Half[] H, List<Int128> I, UInt128? J, HashSet<Int128> Keys, Dictionary<BigInteger, Complex> Map, HashSet<Half?> Halves);

[Message]
public sealed record Pictures(List<Color> Value, Point? P, PointF[] Q, Size S, SizeF? T, Rectangle[] R, RectangleF U, HashSet<Point> Keys, Index[] Indices, Range?[] Ranges);

[Message]
public sealed record Addresses(List<IPAddress?> Value, IPEndPoint[] Points, IPEndPoint? Point, StringBuilder Text, StringBuilder?[] Texts, BitArray Bits, List<BitArray?> More, Uri[] Uris, Dictionary<Uri, Version?> Map, HashSet<IPAddress> Keys);

[Message]
public sealed record EveryMoment(List<DateTime> Value, DateTimeOffset?[] Offsets, List<DateOnly> Days, TimeOnly?[] Times, HashSet<DateOnly> Keys, SortedDictionary<TimeOnly, DateTime> Map, decimal[] Decimals, SortedSet<decimal> Sorted);

[Message]
public sealed record Converted(List<Tint?> Value, Texture[] Textures, Fine?[] Fines, ImmutableArray<Fine> Array, (Tint?, Fine)[,] Table, KeyValuePair<Tint, Texture?>[] Pairs);

[Message]
public sealed record ConvertedKeys(HashSet<Fine> Value, Dictionary<Fine, Tint?> Map, FrozenDictionary<Fine, Fine>? Frozen);

[Message]
public sealed partial class Hidden
{
    [MessageInclude]
    private List<long?> _values = [];

    public List<HiddenPart> Value { get; private set; } = [];

    [MessageInclude]
    private HashSet<string>? Names { get; init; }

    public int Count => _values.Count;
}

[Message]
public sealed partial class HiddenPart
{
    private HiddenPart(int x, string? y) => (X, Y) = (x, y);

    public string? Y { get; }

    [MessageInclude]
    private int X { get; }
}

/// <summary>A message and a struct whose methods change them before and after.</summary>
[Message]
public sealed class Counted
{
    public List<CountedPart> Value { get; set; } = [];

    public int Count { get; set; }

    public List<Counted>? More { get; set; }

    [BeforeWriting]
    public void CountParts() => Count = Value.Count;

    [AfterReading]
    public void Check() => _ = Count == Value.Count ? true : throw new InvalidOperationException("another count");
}

[Message]
public struct CountedPart
{
    public string? Text { get; set; }

    public long Sum { get; set; }

    [BeforeWriting]
    public readonly void Check() => _ = Sum;
}

[Message(VersionTolerant = true)]
public sealed record Numbered([property: MessageField(0)] List<NumberedPart> Value, [property: MessageField(9)] NumberedCell?[]? Cells, [property: MessageField(3)] Form? Form, [property: MessageField(2)] int[,] Table, [property: MessageField(200)] Dictionary<NumberedCell, Numbered?>? Map);

[Message(VersionTolerant = true)]
public sealed class NumberedPart
{
    [MessageField(200_000)]
    public (string?, Matrix4x4?) Value { get; set; }

    [MessageField(1)]
    public bool Flag { get; set; }

    [MessageField(0)]
    public NumberedPart? Next { get; set; }
}

[Message(VersionTolerant = true)]
public record struct NumberedCell([property: MessageField(4)] int X, [property: MessageField(3)] string? Y);

[Message(Compressor = typeof(BrotliCompressor), CompressionThreshold = 1)]
public sealed record Squeezed(List<string> Value, byte[]? Bytes);

[Message]
[Interned]
public sealed record Known(List<string?> Value, Dictionary<string, HashSet<string>> Map, (string, string?)[,] Table, Queue<string>? Queue);

[Message]
public sealed record Unbounded(Chained<Links?> Value, Chained<Chained<int?>?>[] More, Dictionary<string, Chained<Form?>> Map);

[Message]
public sealed class Chained<T>
{
    public T Value { get; set; } = default!;

    public Chained<T>? Next { get; set; }
}

/// <summary>Collections whose comparer differs from that of the receiver.</summary>
[Message]
public sealed record Compared(HashSet<string> Value, Dictionary<string, int> Map, SortedSet<string> Sorted, SortedDictionary<string, byte> Words, SortedList<int, string> List, ISet<string> Set, IDictionary<string, byte> Interface, HashSet<double> Doubles, HashSet<decimal> Decimals, HashSet<DateTime> Times, HashSet<float?> Floats);

[Message]
[MessageUnion(0, typeof(FlatCase))]
[MessageUnion(1, typeof(DeepCase))]
[MessageUnion(99_999, typeof(OtherCase))]
public interface ICase;

[Message]
public record struct FlatCase(int X) : ICase;

[Message]
public sealed record DeepCase(ICase? Inner, Dictionary<FlatCase, ICase?>? Map) : ICase;

[Message]
public sealed class OtherCase : ICase
{
    public ICase[]? Parts { get; set; }
}

[Message]
public sealed record Cases(List<ICase> Value, Dictionary<int, ICase?> Map, (ICase?, int)[] Pairs);

[Message(Pooled = true)]
public sealed class PooledWraps
{
    public List<Queue<int>> Value { get; set; } = [];

    public Dictionary<string, List<SparsePooled?>?> Map { get; set; } = [];

    public List<PooledWraps?>? More { get; set; }

    public ImmutableArray<SparsePooled> Array { get; set; }

    public HashSet<string?> Names { get; set; } = [];

    public Tint? Tint { get; set; }

    public SparsePooled?[]? Rented { get; set; }
}

[Flags]
public enum Bits : byte
{
    None,
    One = 1,
    Four = 4,
}

public enum Negative : sbyte
{
    Minus = -1,
}

/// <summary>A struct with padding and a <see cref="bool"/>.</summary>
public struct Padded
{
    public bool Flag;
    public double Number;
    public Bits Bits;
}

[Message]
public sealed record Flagged(List<Bits> Value, Dictionary<Negative, Bits?> Map, Padded[] Structs, HashSet<Padded> Keys, Padded? One, HashSet<Bits> Set, Cell<Negative>[,] Cells);

[Message]
public sealed class Grown : GrownBase<long?>
{
    public string? Name { get; init; }

    public required List<int[]> Last { get; init; }
}

public abstract class GrownBase<T>
{
    public List<T> Value { get; set; } = [];

    public T? More { get; set; }
}
