using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Generators;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageMemberTests
{
    private const string Unknown = "the type has no fixed form on the wire; declare the type of the values, or a union of their types";

    private const string Types = """
        public class Plain { }
        public delegate void Call();
        public struct Padded { public byte A; public int B; }
        public struct Closed { public byte A; internal int B; }
        public struct Frozen { public byte A; public readonly int B; }
        public struct WithClosed { public int A; public Closed B; }
        public struct Properties { public bool A { get; set; } public Nested B { get; init; } public int Item2 { get; set; } }
        public struct PaddedEnd { public int A; public byte B; }
        public struct WithBool { public int A; public bool B; }
        public struct WithNative { public nint A; }
        public unsafe struct WithPointer { public int* A; }
        public struct WithString { public string A; }
        public struct Empty { }
        public struct Nested { public Padded A; }
        [StructLayout(LayoutKind.Explicit)] public struct Union { [FieldOffset(0)] public int A; [FieldOffset(0)] public float B; }
        [StructLayout(LayoutKind.Auto)] public struct Auto { public int A; }
        [StructLayout(LayoutKind.Sequential, Size = 32)] public struct Sized { public int A; }
        [StructLayout(LayoutKind.Sequential, Pack = 1)] public struct Packed { public byte A; public long B; public WithTimes C; }
        public struct WithTimes { public TimeSpan A; public Guid B; public E C; public char D; public short F; public int G; }
        public unsafe struct WithBuffer { public fixed int A[4]; }
        [System.Runtime.CompilerServices.InlineArray(4)] public struct Inline { public int A; }
        public enum E : long { A }
        [Message(100)] public class Other { }
        """;

    [Theory]
    [InlineData("Lower.Hidden", "it is a struct of a library that hides its fields from the compiler; use a [MessageConverter], or declare its contents as members")]
    [InlineData("Inline", "it is an inline array; use an array or a list")]
    [InlineData("WithBuffer", "it has the buffer 'A' of a fixed size; declare an array or a list, and mark the struct [Message]")]
    [InlineData("Closed", "it has padding before 'B'; mark it [Message] to send it field by field")]
    public async Task Reason_of_a_struct_that_cannot_travel_has_a_way_out(string type, string reason)
    {
        var lower = MetadataReference.CreateFromImage(GeneratorRunner.Emit(GeneratorRunner.Create("namespace Lower { public struct Hidden { private int _dummyPrimitive; } }", name: "Lower")));
        var code = GeneratorRunner.Create(Sources.Usings + "using System.Runtime.InteropServices;" + Types + $"[Message] public class M {{ public {type} A {{ get; set; }} }}", references: lower);

        var found = await code.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);

        Assert.Contains(found, one => one.Id == "RM1003" && one.GetMessage(CultureInfo.InvariantCulture).Contains(reason, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("object")]
    [InlineData("dynamic")]
    [InlineData("Stream?")]
    [InlineData("Call?")]
    [InlineData("Action?")]
    [InlineData("Plain?")]
    [InlineData("IReadOnlyList<Plain>?")]
    [InlineData("HashSet<object>?")]
    [InlineData("List<Plain>?")]
    [InlineData("List<int[,,,,]>?")]
    [InlineData("Dictionary<Plain, int>?")]
    [InlineData("Dictionary<int, Plain>?")]
    [InlineData("Dictionary<int?, int>?")]
    [InlineData("object[,]?")]
    [InlineData("int[,,,,]?")]
    [InlineData("(int, Plain)")]
    [InlineData("IList<Plain>?")]
    [InlineData("IReadOnlyDictionary<Plain, int>?")]
    [InlineData("IDictionary<int?, int>?")]
    [InlineData("SortedSet<Other>?")]
    [InlineData("SortedDictionary<(int, string), int>?")]
    [InlineData("System.Collections.Concurrent.ConcurrentDictionary<int, int>?")]
    [InlineData("System.Collections.Concurrent.ConcurrentQueue<int>?")]
    [InlineData("ValueTuple<Plain>")]
    [InlineData("KeyValuePair<int, Plain>")]
    [InlineData("Tuple<int, int, int, int, int, int, int, int>?")]
    [InlineData("Lazy<int>?")]
    [InlineData("Type?")]
    [InlineData("PriorityQueue<int, Other>?")]
    [InlineData("Closed")]
    [InlineData("Closed?")]
    [InlineData("Closed[]?")]
    [InlineData("Frozen")]
    [InlineData("WithClosed")]
    [InlineData("WithPointer")]
    [InlineData("WithString")]
    [InlineData("WithBuffer")]
    [InlineData("Empty")]
    [InlineData("Union")]
    [InlineData("Auto")]
    [InlineData("Sized")]
    [InlineData("Inline")]
    [InlineData("List<List<List<List<List<List<List<List<List<int>>>>>>>>>?")]
    public async Task A_member_of_a_type_that_cannot_travel_is_reported(string type)
    {
        await Contract.Expect("RM1003", Types + $"[Message] public class M {{ public int Before; public {type} [|A|] {{ get; set; }} = default!; }}");
        await Contract.Expect("RM1003", Types + $"[Message] public class M {{ public {type} [|A|] = default!; }}");
        await Contract.Accept(Types + $"[Message] public class M {{ [MessageIgnore] public {type} A {{ get; set; }} = default!; }}");
    }

    [Theory]
    [InlineData("int")]
    [InlineData("nint")]
    [InlineData("Dictionary<nuint, WithNative?>")]
    [InlineData("E?")]
    [InlineData("string?")]
    [InlineData("decimal")]
    [InlineData("DateTimeOffset?")]
    [InlineData("byte[]")]
    [InlineData("int?[][]?")]
    [InlineData("List<List<int>>?")]
    [InlineData("Dictionary<Other, Dictionary<E, List<Other?>>>?")]
    [InlineData("IReadOnlyList<string?>")]
    [InlineData("HashSet<E?>?")]
    [InlineData("KeyValuePair<string?, ValueTuple<Other?>>[]")]
    [InlineData("Dictionary<System.Text.Rune, System.Numerics.BigInteger?>")]
    [InlineData("List<System.Drawing.Rectangle>")]
    [InlineData("System.Collections.BitArray?")]
    [InlineData("Range?")]
    [InlineData("Tuple<int, string?>?[]")]
    [InlineData("List<int[,]>?")]
    [InlineData("string?[,,][]")]
    [InlineData("int[][,,,]?")]
    [InlineData("PriorityQueue<Other?, (int, DateTime)>?")]
    [InlineData("Dictionary<System.Net.IPEndPoint, System.Text.StringBuilder?>")]
    [InlineData("OrderedDictionary<string, int>")]
    [InlineData("IEnumerable<ISet<Other>>")]
    [InlineData("Queue<IReadOnlyDictionary<string, Stack<int>?>>")]
    [InlineData("SortedSet<(int, DateTime)?>")]
    [InlineData("SortedList<Version, Memory<byte>>")]
    [InlineData("System.Collections.Immutable.ImmutableSortedDictionary<string, ArraySegment<Packed>?>?")]
    [InlineData("System.Collections.Frozen.FrozenSet<E>")]
    [InlineData("System.Collections.Immutable.ImmutableArray<Other>?")]
    [InlineData("ReadOnlyMemory<byte>")]
    [InlineData("(int, (string? A, Other[] B))")]
    [InlineData("(int, int, int, int, int, int, int, int, int)")]
    [InlineData("Dictionary<(int, Guid), Uri?>")]
    [InlineData("Version")]
    [InlineData("Packed")]
    [InlineData("Padded")]
    [InlineData("PaddedEnd?")]
    [InlineData("WithBool[]?")]
    [InlineData("Dictionary<Nested, Properties>")]
    [InlineData("WithTimes[]?")]
    [InlineData("System.Numerics.Matrix4x4")]
    [InlineData("List<List<List<List<List<List<List<List<int>>>>>>>>?")]
    public Task A_member_of_a_type_that_can_is_not(string type) => Contract.Accept(Types + $"[Message] public class M {{ public {type} A {{ get; set; }} = default!; }}");

    [Fact]
    public async Task A_pointer_is_reported() => await Contract.Expect("RM1003", "[Message] public unsafe class M { public int* [|A|]; }");

    [Fact]
    public Task A_parameter_of_a_record_is_reported() => Contract.Expect("RM1003", "[Message] public record M(int A, object [|B|]);");

    [Fact]
    public Task A_member_of_a_base_class_is_reported_at_the_message() => Contract.Expect("RM1003", "public class Base { public object? A; } [Message] public class [|M|] : Base { }");

    [Fact]
    public async Task The_report_says_what_to_do()
    {
        var found = await Contract.Expect("RM1003", Types + "[Message] public class M { public Closed [|A|]; }");

        Assert.Equal(
            "'A' has the type Closed, which cannot be sent in a message: it has padding before 'B'; mark it [Message] to send it field by field. To exclude the member, mark it [MessageIgnore].",
            found[0].GetMessage(CultureInfo.InvariantCulture));
    }

    [Theory]
    [InlineData("System.Collections.Concurrent.ConcurrentDictionary<int, int>", "an empty one takes hundreds of bytes of memory, which a byte of a message must not ask for; send a Dictionary")]
    [InlineData("System.Collections.Generic.SortedSet<(int, string)>", "the keys of a sorted collection are numbers, strings, enums, times, Guid, Version or such values in a tuple without strings, because an order of their own may take two keys for equal; use a set or a dictionary that is not sorted")]
    [InlineData("System.Threading.CancellationToken", "it is not a struct of numbers; use a [MessageConverter], or declare its contents as members")]
    [InlineData("object", Unknown)]
    [InlineData("dynamic", Unknown)]
    [InlineData("System.Action", "a delegate is code, which is not sent; declare the values that the receiver needs")]
    [InlineData("System.Type", "the receiver may not have the type; send its name as a string")]
    [InlineData("System.ArgumentException", "it refers to objects of one process; send its message as a string")]
    [InlineData("System.IO.FileStream", "its contents are not in memory; send a byte array")]
    [InlineData("System.Collections.Hashtable", "the types of its items are not known; declare a Dictionary")]
    [InlineData("System.Collections.IList", "the types of its items are not known; declare an array or a List of one type")]
    [InlineData("System.Collections.Specialized.StringCollection", "it is a collection whose items are not sent; declare a List or an array, or use a [MessageConverter]")]
    [InlineData("System.Lazy<int>", "it contains code; send its value")]
    [InlineData("System.Collections.Generic.Dictionary<string, object>", "its part object cannot be sent: " + Unknown)]
    [InlineData("System.Collections.Generic.List<(int, System.Type[])>", "its part System.Type cannot be sent: the receiver may not have the type; send its name as a string")]
    [InlineData("System.Collections.Generic.List<System.Collections.Generic.Dictionary<int?, int>>", "its part System.Collections.Generic.Dictionary<int?, int> cannot be sent: a dictionary key cannot be nullable")]
    [InlineData("System.IFormatProvider", "mark it [Message] if it is yours, and list the types of its values by [MessageUnion]; otherwise, use a [MessageConverter], or declare its contents as members")]
    [InlineData("System.OperatingSystem", "mark it [Message] if it is yours; otherwise, use a [MessageConverter], or declare its contents as members")]
    [InlineData("int[][][][][][][][][]", "it nests more than 8 collections; declare a message with the inner ones")]
    public async Task Reason_of_a_type_that_cannot_be_sent_says_what_to_do(string type, string reason)
    {
        var found = await Contract.Expect("RM1003", $"[Message] public class M {{ public {type} [|A|]; }}");

        Assert.StartsWith($"'A' has the type {type}, which cannot be sent in a message: {reason}. ", found[0].GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("public int [|A|] { get; }")]
    [InlineData("public int [|A|] { get; private set; }")]
    [InlineData("public int [|A|] { get; protected set; }")]
    [InlineData("public readonly int [|A|];")]
    [InlineData("public M() { } public M(long a) { } public int [|A|] { get; }")]
    [InlineData("public M() { } public M(out int a) => a = 3; public int [|A|] { get; }")]
    [InlineData("public M() { } private M(int a) { } public int [|A|] { get; }")]
    [InlineData("public M(int a, int other) { } public int [|A|] { get; }")]
    public Task A_member_that_no_receiver_can_set_is_reported(string members) => Contract.Expect("RM1005", $"[Message] public class M {{ {members} }}");

    [Theory]
    [InlineData("public int A { get; } public M(int a) => A = a;")]
    [InlineData("public readonly int A; public M(int a, int other = 3) => A = a;")]
    [InlineData("public int A { get; } public int B { get; init; } internal M(int a) => A = a;")]
    [InlineData("public int A { get; internal set; }")]
    [InlineData("public int A => 3; public int B { get { return 3; } } public object C => this;")]
    [InlineData("public int A; private object? _a; internal object? B; protected object? C { get; set; }")]
    [InlineData("public static object? A { get; set; } public const string? B = null; public object this[int index] => index;")]
    [InlineData("public event Action? A; public class B { } public object C() => A!;")]
    [InlineData("[MessageIgnore] public int A { get; } [MessageIgnore] public readonly int B;")]
    public Task A_member_that_can_be_set_or_does_not_travel_is_not(string members) => Contract.Accept($"[Message] public class M {{ {members} }}");

    [Theory]
    [InlineData("[Secret, Interned] public string? [|A|];")]
    [InlineData("[Secret] [Interned] public List<string>? [|A|] { get; set; }")]
    public Task A_secret_in_the_cache_is_reported(string members) => Contract.Expect("RM1010", $"[Message] public class M {{ {members} }}");

    [Fact]
    public Task A_secret_parameter_in_the_cache_is_reported() =>
        Contract.Expect("RM1010", "[Message] public record M([Interned] string A, [property: Interned, Secret] string [|B|], [Secret, Interned] string [|C|]);");

    [Fact]
    public Task A_secret_beside_what_is_cached_is_not() =>
        Contract.Accept("[Message, Interned] public class M { [Secret] public byte[]? A; [Interned] public string? B; [Secret] public string? C; }");
}
