using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Messages whose values are cheap to send and expensive to receive: nulls of large structs, empty messages, and keys with few hash codes.</summary>
internal static class SendableContracts
{
    public static Type[] All { get; } =
    [
        typeof(SparseRow), typeof(SparseRows), typeof(SparseArrays), typeof(SparsePooled), typeof(Empties), typeof(EmptyKeys), typeof(Links), typeof(Versioned), typeof(Shapes), typeof(Nested),
        typeof(Positions), typeof(PositionMap), typeof(Multiples), typeof(Codes), typeof(Moments), typeof(Floats), typeof(Spots), typeof(Places), typeof(NamedPlaces), typeof(Pairs), typeof(Texts),
        typeof(Sequences), typeof(Keyed), typeof(EmptyWrappers), typeof(Constants), typeof(Crosses), typeof(Areas), typeof(Optional), typeof(Rest), typeof(PooledPositions), typeof(ClosedTypes),
    ];
}

[Message]
public sealed class SparseRow
{
    public (long, long, long, long)? A { get; set; }
    public (long, long, long, long)? B { get; set; }
    public Vector4? C { get; set; }
    public Matrix4x4? D { get; set; }
}

[Message]
public sealed class SparseRows
{
    public List<SparseRow> Rows { get; set; } = [];
    public SparseRow?[]? More { get; set; }
}

[Message]
public sealed record SparseArrays(Matrix4x4?[] Matrices, List<(long, long, long, long, long)?>? Tuples, (Matrix4x4?, Vector4?)[] Pairs, Dictionary<byte, Matrix4x4?> Map, HashSet<Matrix4x4?> Set, EmptyStruct?[] Structs);

[Message(Pooled = true)]
public sealed class SparsePooled
{
    public List<Matrix4x4?> Matrices { get; set; } = [];
    public List<SparseRow> Rows { get; set; } = [];
    public Dictionary<ushort, SparseRow?> Map { get; set; } = [];
}

[Message]
public sealed class EmptyClass;

[Message]
public struct EmptyStruct
{
    public ImmutableArray<int> Items { get; set; }
}

[Message]
public record struct ListStruct(List<byte> Items, Matrix4x4? Matrix);

[Message]
public record struct OuterStruct(InnerStruct Inner, string? Text);

[Message]
public record struct InnerStruct(ListStruct List, ImmutableArray<string> Texts);

[Message]
public sealed class Empties
{
    public List<EmptyClass> Classes { get; set; } = [];
    public EmptyStruct[]? Structs { get; set; }
    public List<ListStruct>? Lists { get; set; }
    public List<OuterStruct> Outers { get; set; } = [];
    public List<Uri> Addresses { get; set; } = [];
    public Version?[]? Versions { get; set; }
    public List<List<HashSet<int>>>? Sets { get; set; }
    public ReadOnlyMemory<byte>[]? Memories { get; set; }
}

[Message]
public sealed record EmptyKeys(Dictionary<EmptyClass, EmptyClass> Classes, HashSet<EmptyClass?> Set, Dictionary<EmptyClass, Matrix4x4?> Matrices, HashSet<(Matrix4x4?, Vector4?)> Pairs, List<SetRow> Rows);

[Message]
public sealed class SetRow
{
    public HashSet<Matrix4x4?> A { get; set; } = [];
    public HashSet<(Matrix4x4?, Matrix4x4?)> B { get; set; } = [];
    public Dictionary<(Matrix4x4?, Matrix4x4?), Matrix4x4?> C { get; set; } = [];
}

[Message]
public sealed class Links
{
    public Links? Next { get; set; }
    public List<Links>? More { get; set; }
    public Matrix4x4? Matrix { get; set; }
}

[Message(VersionTolerant = true)]
public sealed class Versioned
{
    [MessageField(1)]
    public List<Versioned>? Inner { get; set; }

    [MessageField(2)]
    public Matrix4x4? Matrix { get; set; }

    [MessageField(7)]
    public HashSet<string> Names { get; set; } = [];
}

[Message]
[MessageUnion(0, typeof(NoShape))]
[MessageUnion(1, typeof(SomeShape))]
public abstract record Form;

[Message]
public sealed record NoShape : Form;

[Message]
public sealed record SomeShape(Matrix4x4? Matrix, List<Form>? Parts) : Form;

[Message]
public sealed record Shapes(List<Form> Value, HashSet<Form?> Set, Dictionary<Form, Form?> Map);

[Message]
public sealed record Nested(List<List<Dictionary<string, List<(int, string?)?>>>> Value, Dictionary<int, Dictionary<int, HashSet<int>?>>? Maps, (string Name, (Matrix4x4? Matrix, List<string>? Names) Inner)[]? Tuples);

[Message]
public sealed record Sequences(IEnumerable<int> Value, IList<string?> Names, Queue<EmptyClass> Queue, Stack<List<byte>>? Stack, LinkedList<Matrix4x4?> Linked, ObservableCollection<Uri> Observed, ArraySegment<byte>[]? Segments, ReadOnlyCollection<SparseRow?>? Rows, ICollection<bool> Flags);

[Message]
public sealed record Keyed(ISet<long> Value, IReadOnlyDictionary<long, byte> Map, SortedSet<int?> Set, SortedDictionary<DateTime, string?>? Times, SortedList<(int, short), EmptyClass> List, IDictionary<Constant, Matrix4x4?>? Constants);

[Message]
public sealed class EmptyWrapper
{
    public Queue<int> Queue { get; set; } = [];
    public ISet<int>? Set { get; set; }
    public SortedSet<string> Sorted { get; set; } = [];
    public IReadOnlyDictionary<string, int> Map { get; set; } = new Dictionary<string, int>();
}

[Message]
public sealed record EmptyWrappers(IReadOnlyCollection<EmptyWrapper> Value, Queue<Queue<Stack<int>>> Queues);

[Message]
public sealed record Positions(HashSet<long> Value);

[Message]
public sealed record PositionMap(Dictionary<long, byte> Value);

[Message]
public sealed record Multiples(HashSet<ulong> Value, Dictionary<uint, byte> Numbers, HashSet<short>? Shorts);

public enum LongCode : long
{
    None,
}

[Message]
public sealed record Codes(HashSet<LongCode> Value, HashSet<Guid> Guids, Dictionary<Guid, string?>? Map);

[Message]
public sealed record Moments(HashSet<TimeSpan> Spans, HashSet<DateTime> Times, Dictionary<DateTimeOffset, int>? Offsets);

[Message]
public sealed record Floats(HashSet<double> Value, HashSet<float>? Singles, HashSet<decimal>? Decimals);

[StructLayout(LayoutKind.Sequential)]
public struct Spot
{
    public int Map;
    public float X;
    public float Y;
}

[Message]
public sealed record Spots(Dictionary<Spot, byte> Value);

[Message]
public struct Place
{
    public string Map { get; set; }
    public int X { get; set; }
    public int Y { get; set; }
}

[Message]
public sealed record Places(HashSet<Place> Value, Dictionary<Place, Place>? Map);

[Message]
public readonly record struct NamedPlace(long Position, string? Name);

[Message]
public sealed record NamedPlaces(Dictionary<NamedPlace, int> Value);

[Message]
public sealed record Pairs(HashSet<(long, long)> Value, Dictionary<(long Position, (double, string?) Others), byte>? Map);

[Message]
public sealed record Texts(Dictionary<string, string?> Value, HashSet<string?>? Set);

/// <summary>A key whose hash codes are all equal.</summary>
[Message]
public sealed record Constant(int Number)
{
    public bool Equals(Constant? other) => other is not null && Number == other.Number;

    public override int GetHashCode() => 1;
}

[Message]
public sealed record Constants(HashSet<Constant> Value, Dictionary<Constant, byte>? Map);

/// <summary>A key with a common and poor hash code.</summary>
public record struct Cross(int X, int Y)
{
    public readonly bool Equals(Cross other) => X == other.X && Y == other.Y;

    public override readonly int GetHashCode() => X ^ Y;
}

[Message]
public sealed record Crosses(Dictionary<Cross, byte> Value);

[Message]
public sealed record Area(long Position, int Level);

[Message]
public sealed record Areas(HashSet<Area> Value, Dictionary<Area, Area?>? Map);

[Message]
public sealed record Optional(HashSet<long?> Value, HashSet<(long?, int)>? Pairs, HashSet<Spot?>? Spots);

[Message]
public sealed record Rest(HashSet<bool> Bools, HashSet<char> Letters, Dictionary<byte, byte> Bytes, HashSet<Uri> Addresses, HashSet<Version>? Versions, HashSet<Half>? Halves, IReadOnlyList<string>? List);

[Message(Pooled = true)]
public sealed class PooledPositions
{
    public HashSet<long> Set { get; set; } = [];
    public Dictionary<long, SparsePooled> Map { get; set; } = [];
    public HashSet<Place>? Places { get; set; }
}

[Message]
public sealed record ClosedTypes(Slot<Matrix4x4> A, Slot<string?>[] B, List<Slot<List<Slot<int>>>?> C, Cell<double>[] D, Dictionary<byte, Slot<(long, long)?>> E);

[Message]
public readonly record struct Slot<T>(T Value, T[]? More);

public struct Cell<T>
{
    public T A;
    public T B;
}
