namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Types of a member.</summary>
public static class MemberShapes
{
    private const string Types = """
        public enum Kind : byte { A, B = 200 }
        [Flags] public enum Rights : long { None, Read = 1, All = long.MaxValue }
        {S} public struct Flat { public float X, Y; public int Z; }
        {S} public struct WithFlag { public int A; public bool B; public bool C; public short D; }
        {S} public struct Padded { public byte A; public long B; }
        {S} public struct WithText { public string A; public int B; }
        {S} public struct Pair<T> { public T A; public T B; }
        [StructLayout(LayoutKind.Sequential, Pack = 1)] {S} public struct Packed { public byte A; public long B; }
        [StructLayout(LayoutKind.Explicit)] public struct Overlap { [FieldOffset(0)] public int A; [FieldOffset(0)] public float B; }
        public unsafe struct Buffer { public fixed byte A[8]; }
        {M} public partial class Item { public int Id { get; set; } public string Text { get; set; } = ""; }
        public sealed class Plain { public int A { get; set; } }

        """;

    public static IReadOnlyList<Shape> All { get; } =
    [
        Of("bool", "true"), Of("byte", "200"), Of("sbyte", "-1"), Of("short", "-300"), Of("ushort", "60000"), Of("int", "-70000"), Of("uint", "4000000000"), Of("long", "long.MinValue"), Of("ulong", "ulong.MaxValue"),
        Of("char", "'ß'"), Of("float", "-0.0f"), Of("double", "double.NaN"), Of("decimal", "1.00m"), Of("Half", "(Half)1.5"), Of("Int128", "Int128.MinValue"), Of("UInt128", "UInt128.MaxValue"), Of("nint", "5"),
        Of("Guid", "new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)"), Of("DateTime", "new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)"), Of("DateTimeOffset", "new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(-3))"),
        Of("TimeSpan", "TimeSpan.FromSeconds(3)"), Of("DateOnly", "new DateOnly(2026, 1, 2)"), Of("TimeOnly", "new TimeOnly(3, 4, 5)"),
        Of("string", "\"hi ß€😀\""), Of("string?", "null"), Of("Uri", "new Uri(\"http://localhost/a?b=c\")"), Of("Version", "new Version(1, 2, 3)"), Of("Kind", "Kind.B"), Of("Rights", "Rights.All"),
        Of("int?", "5"), Of("DateTime?", "null"), Of("Kind?", "Kind.B"), Of("Guid?", "Guid.Empty"),
        Of("BigInteger", "BigInteger.Pow(7, 100)"), Of("Complex", "new Complex(1, 2)"), Of("Rune", "new Rune(0x1F600)"), Of("Index", "^3"), Of("Range", "1..^2"),
        Of("Vector2", "new Vector2(1, 2)"), Of("Vector3", "new Vector3(1, 2, 3)"), Of("Vector4", "new Vector4(1, 2, 3, 4)"), Of("Quaternion", "new Quaternion(1, 2, 3, 4)"), Of("Plane", "new Plane(1, 2, 3, 4)"),
        Of("Matrix3x2", "Matrix3x2.CreateScale(2)"), Of("Matrix4x4", "Matrix4x4.CreateScale(2)"),
        Of("Color", "Color.FromArgb(1, 2, 3, 4)"), Of("Point", "new Point(1, 2)"), Of("PointF", "new PointF(1, 2)"), Of("Size", "new Size(1, 2)"), Of("SizeF", "new SizeF(1, 2)"), Of("Rectangle", "new Rectangle(1, 2, 3, 4)"), Of("RectangleF", "new RectangleF(1, 2, 3, 4)"),
        Of("BitArray", "new BitArray(new[] { true, false, true })"), Of("IPAddress", "IPAddress.Parse(\"10.1.2.3\")"), Of("IPEndPoint", "new IPEndPoint(IPAddress.Loopback, 80)"), Of("StringBuilder", "new StringBuilder(\"hi\")"),
        Of("TimeZoneInfo", "TimeZoneInfo.Utc"), Of("CultureInfo", "CultureInfo.InvariantCulture"), Of("Type", "typeof(int)"), Of("Encoding", "Encoding.UTF8"), Of("object", "5"), Of("dynamic", "5"), Of("Lazy<int>", "new Lazy<int>(5)"), Of("Exception", "new Exception(\"a\")"), Of("Action", "static () => { }"),

        Of("int[]", "new[] { 1, 2 }"), Of("byte[]", "new byte[] { 1, 2 }"), Of("bool[]", "new[] { true, false }"), Of("string[]", "new[] { \"a\", \"\" }"), Of("string?[]", "new[] { \"a\", null }"), Of("int?[]", "new int?[] { 1, null }"), Of("int[][]", "new[] { new[] { 1 }, new int[0] }"),
        Of("int[,]", "new[,] { { 1, 2 }, { 3, 4 } }"), Of("string[,]", "new[,] { { \"a\", \"b\" } }"), Of("byte[,,]", "new byte[,,] { { { 1, 2 }, { 3, 4 } } }"), Of("int[,,,]", "new int[,,,] { { { { 1 } } } }"),
        Of("Vector3[]", "new[] { new Vector3(1, 2, 3) }"), Of("Kind[]", "new[] { Kind.B }"), Of("DateTime[]", "new[] { DateTime.UnixEpoch }"), Of("decimal[]", "new[] { 1.5m }"), Of("Item[]", "new[] { new Item { Id = 1, Text = \"a\" } }"), Of("Item?[]", "new[] { null, new Item() }"),
        Of("List<int>", "new() { 1, 2 }"), Of("List<string>", "new() { \"a\" }"), Of("List<List<int>>", "new() { new() { 1 } }"), Of("List<Item>", "new() { new Item { Id = 1 } }"), Of("List<(int, string)>", "new() { (1, \"a\") }"), Of("HashSet<int>", "new() { 1, 2 }"), Of("HashSet<string>", "new() { \"a\", \"b\" }"),
        Of("Dictionary<string, int>", "new() { [\"a\"] = 1 }"), Of("Dictionary<int, List<string>>", "new() { [1] = new() { \"a\" } }"), Of("Dictionary<Guid, Item>", "new() { [Guid.Empty] = new Item { Id = 5 } }"), Of("Dictionary<Kind, int>", "new() { [Kind.B] = 1 }"), Of("Dictionary<(int, int), int>", "new() { [(1, 2)] = 3 }"), Of("Dictionary<string, Dictionary<int, bool>>", "new() { [\"a\"] = new() { [1] = true } }"), Of("Dictionary<string, object>", "new() { [\"a\"] = 1 }"),
        Of("SortedDictionary<int, string>", "new() { [1] = \"a\" }"), Of("SortedList<string, int>", "new() { [\"a\"] = 1 }"), Of("SortedSet<int>", "new() { 2, 1 }"), Of("OrderedDictionary<string, int>", "new() { [\"a\"] = 1 }"),
        Of("Queue<int>", "new(new[] { 1, 2 })"), Of("Stack<int>", "new(new[] { 1, 2 })"), Of("LinkedList<string>", "new(new[] { \"a\", \"b\" })"), Of("PriorityQueue<string, int>", "Made(new PriorityQueue<string, int>(), static queue => { queue.Enqueue(\"b\", 2); queue.Enqueue(\"a\", 1); })"),
        Of("Collection<int>", "new() { 1, 2 }"), Of("ObservableCollection<int>", "new() { 1, 2 }"), Of("ReadOnlyCollection<int>", "new(new[] { 1, 2 })"), Of("ReadOnlyObservableCollection<int>", "new(new() { 1, 2 })"), Of("ReadOnlyDictionary<string, int>", "new(new Dictionary<string, int> { [\"a\"] = 1 })"),
        Of("ConcurrentDictionary<string, int>", "new(new Dictionary<string, int> { [\"a\"] = 1 })"), Of("ConcurrentQueue<int>", "new(new[] { 1, 2 })"), Of("ConcurrentStack<int>", "new(new[] { 1, 2 })"), Of("ConcurrentBag<int>", "new(new[] { 1, 2 })"), Of("BlockingCollection<int>", "new() { 1 }"),
        Of("ImmutableArray<int>", "ImmutableArray.Create(1, 2)"), Of("ImmutableList<int>", "ImmutableList.Create(1, 2)"), Of("ImmutableQueue<int>", "ImmutableQueue.Create(1, 2)"), Of("ImmutableStack<int>", "ImmutableStack.Create(1, 2)"), Of("ImmutableHashSet<int>", "ImmutableHashSet.Create(1, 2)"), Of("ImmutableSortedSet<int>", "ImmutableSortedSet.Create(2, 1)"), Of("ImmutableDictionary<string, int>", "ImmutableDictionary<string, int>.Empty.Add(\"a\", 1)"), Of("ImmutableSortedDictionary<string, int>", "ImmutableSortedDictionary<string, int>.Empty.Add(\"a\", 1)"),
        Of("IImmutableList<int>", "ImmutableList.Create(1, 2)"), Of("IImmutableQueue<int>", "ImmutableQueue.Create(1, 2)"), Of("IImmutableStack<int>", "ImmutableStack.Create(1, 2)"), Of("IImmutableSet<int>", "ImmutableHashSet.Create(1, 2)"), Of("IImmutableDictionary<string, int>", "ImmutableDictionary<string, int>.Empty.Add(\"a\", 1)"),
        Of("FrozenSet<int>", "new[] { 1, 2 }.ToFrozenSet()"), Of("FrozenDictionary<string, int>", "new Dictionary<string, int> { [\"a\"] = 1 }.ToFrozenDictionary()"),
        Of("IEnumerable<int>", "new[] { 1, 2 }"), Of("IReadOnlyCollection<int>", "new[] { 1, 2 }"), Of("IReadOnlyList<int>", "new[] { 1, 2 }"), Of("ICollection<int>", "new List<int> { 1, 2 }"), Of("IList<int>", "new List<int> { 1, 2 }"), Of("ISet<int>", "new HashSet<int> { 1, 2 }"), Of("IReadOnlySet<int>", "new HashSet<int> { 1, 2 }"), Of("IDictionary<string, int>", "new Dictionary<string, int> { [\"a\"] = 1 }"), Of("IReadOnlyDictionary<string, int>", "new Dictionary<string, int> { [\"a\"] = 1 }"),
        Of("ILookup<int, int>", "new[] { 1, 2 }.ToLookup(static one => one)"), Of("IGrouping<int, int>", "new[] { 1, 1 }.GroupBy(static one => one).First()"), Of("ArrayList", "new() { 1 }"), Of("Hashtable", "new() { [1] = 2 }"), Of("IEnumerable", "new[] { 1 }"), Of("IList", "new ArrayList { 1 }"),
        Of("ArraySegment<byte>", "new byte[] { 1, 2 }"), Of("ArraySegment<int>", "new[] { 1, 2 }"), Of("Memory<byte>", "new byte[] { 1, 2 }"), Of("Memory<int>", "new[] { 1, 2 }"), Of("ReadOnlyMemory<byte>", "new byte[] { 1, 2 }"), Of("ReadOnlyMemory<int>", "new[] { 1, 2 }"), Of("ReadOnlyMemory<char>", "\"hi\".ToCharArray()"), Of("System.Buffers.ReadOnlySequence<byte>", "new(new byte[] { 1, 2 })"),
        Of("KeyValuePair<string, int>", "new(\"a\", 1)"), Of("Tuple<int, string>", "Tuple.Create(1, \"a\")"), Of("Tuple<int>", "Tuple.Create(1)"), Of("Tuple<int, int, int, int, int, int, int, Tuple<int>>", "Tuple.Create(1, 2, 3, 4, 5, 6, 7, 8)"), Of("ValueTuple<int>", "new(1)"), Of("(int, string)", "(1, \"a\")"), Of("(int A, string? B)", "(1, null)"), Of("(int, int, int, int, int, int, int, int)", "(1, 2, 3, 4, 5, 6, 7, 8)"), Of("(int, (string, bool))", "(1, (\"a\", true))"), Of("(int, string)?", "(1, \"a\")"),
        Of("Flat", "new Flat { X = 1, Z = 2 }"), Of("Flat?", "new Flat { X = 1 }"), Of("Flat[]", "new[] { new Flat { X = 1 } }"), Of("List<Flat>", "new() { new Flat { X = 1 } }"), Of("WithFlag", "new WithFlag { A = 1, B = true, D = 3 }"), Of("WithFlag[]", "new[] { new WithFlag { A = 1, B = true } }"), Of("Padded", "new Padded { A = 1, B = 2 }"), Of("WithText", "new WithText { A = \"a\", B = 1 }"), Of("Pair<int>", "new Pair<int> { A = 1, B = 2 }"), Of("Packed", "new Packed { A = 1, B = 2 }"), Of("Overlap", "new Overlap { A = 5 }"), Of("Buffer", "default"),
        Of("Item", "new Item { Id = 1, Text = \"a\" }"), Of("Item?", "null"), Of("Plain", "new Plain { A = 1 }"),
    ];

    private static Shape Of(string type, string value) => new(
        type,
        Types + "{M} public partial class M { public " + type + " Value { get; set; } = default!; } public static class Making { public static T Made<T>(T value, Action<T> with) { with(value); return value; } }",
        "new M { Value = " + value.Replace("Made(", "Making.Made(", System.StringComparison.Ordinal) + " }");
}
