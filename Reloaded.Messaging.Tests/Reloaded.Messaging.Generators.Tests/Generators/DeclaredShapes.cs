using System.Linq;
using Microsoft.CodeAnalysis.CSharp;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Declarations of messages, services and handler classes. In a name, <c>#</c> stands for the number of the declaration. Some are not valid C#.</summary>
internal static class DeclaredShapes
{
    /// <summary>Types for members.</summary>
    public const string Others = """
        public enum E : ulong { A, @class = 5, Max = ulong.MaxValue }
        public struct S { public int A, B; }
        public struct N { public bool A; public string B; }
        [Message] public struct V { public int @int; public string? @string; }
        [Message] public class K : IEquatable<K> { public int A; public bool Equals(K? other) => other?.A == A; public override bool Equals(object? other) => other is K k && Equals(k); public override int GetHashCode() => A; }
        [Message, MessageUnion(0, typeof(U0)), MessageUnion(7, typeof(U1))] public abstract class U { }
        [Message] public class U0 : U { public U? Next; }
        [Message] public sealed record U2;
        [Message] public class U1 : U { }
        [Message, MessageUnion(0, typeof(I0))] public interface I { static virtual int P => 3; int Q => 3; }
        [Message] public class I0 : I { }
        public class G<T> { public T? A; }
        [Message] public class GM<T> { public T? A { get; set; } public List<GM<T>?>? B { get; set; } }
        public struct GS<T> { public T A, B; }
        [Message, MessageUnion(0, typeof(GO<>))] public interface GI<T> { }
        [Message] public readonly record struct GO<T>(T A) : GI<T>;
        public delegate void D(int a);
        public unsafe struct X { public int* A; }
        public unsafe struct Y { public fixed int A[4]; }
        public ref struct F { public int A; }
        public struct Q { public nint A; }
        [Message] public record struct R(int A, string B, E C);
        [Obsolete] public enum Z { A }
        [Obsolete("no"), Message] public class A { public int B; }
        [System.Runtime.CompilerServices.InlineArray(4)] public struct W { private int _a; }
        [Message(Pooled = true)] public class L { public List<L>? A { get; set; } [Secret] public byte[]? B { get; set; } [Interned] public HashSet<string>? C { get; set; } }
        public class C { [Message] public class P { [Message] public struct C { } public C D; } public P? Q; }
        [Message] public class @event { public int @int; }
        public class Squeezer : IMessageCompressor
        {
            public string Name => "";
            public int GetMaxCompressedSize(int size) => size;
            public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) => throw null!;
            public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => throw null!;
        }
        """;

    private static readonly string[] s_types =
    [
        "object", "dynamic", "string", "bool", "byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong", "nint", "nuint", "char", "float", "double", "decimal", "Half", "Int128", "UInt128", "Guid", "DateTime", "DateTimeOffset", "TimeSpan", "DateOnly", "TimeOnly", "Uri", "Version", "Type", "Index", "Range", "System.Text.Rune", "System.Numerics.Vector3", "System.Numerics.Matrix4x4", "System.Numerics.BigInteger", "System.Numerics.Complex", "System.Drawing.Point",
        "int*", "void*", "int**", "delegate*<int, void>", "delegate* unmanaged<int, void>", "int*[]", "delegate*<void>[]", "TypedReference", "Span<int>", "ReadOnlySpan<byte>", "Memory<byte>", "ReadOnlyMemory<byte>", "ReadOnlyMemory<string>", "ArraySegment<byte>", "Action", "Func<int, int>", "EventHandler", "Delegate", "Enum", "ValueType", "Array", "Exception", "System.Threading.CancellationToken", "System.Threading.Tasks.Task", "System.Threading.Tasks.Task<int>", "IntPtr", "Nullable<int>", "DayOfWeek", "ConsoleKey", "AttributeTargets", "Environment.SpecialFolder", "StringComparison?",
        "int[]", "int[][]", "int[,]", "int[,][]", "int[][,]", "string[]", "dynamic[]", "object[]", "List<int>", "List<dynamic>", "List<List<List<List<List<List<List<List<List<List<int>>>>>>>>>>", "IList<int>", "IReadOnlyList<int>", "IEnumerable<int>", "ICollection<int>", "IReadOnlyCollection<int>", "ISet<int>", "HashSet<int>", "HashSet<string>", "HashSet<object>", "HashSet<(int, string)>", "HashSet<int?>", "HashSet<int[]>", "SortedSet<int>", "Queue<int>", "Stack<int>", "LinkedList<int>", "Dictionary<int, int>", "Dictionary<string, dynamic>", "Dictionary<(int A, string B), List<(int A, int B)?>>", "Dictionary<int?, int>", "Dictionary<float, Dictionary<double, decimal>>", "IDictionary<int, int>", "SortedDictionary<int, int>", "KeyValuePair<int, int>", "System.Collections.Immutable.ImmutableArray<int>", "System.Collections.Immutable.ImmutableArray<string>", "System.Collections.Immutable.ImmutableList<int>", "System.Collections.ObjectModel.ObservableCollection<int>", "System.Collections.BitArray", "System.Collections.ArrayList", "System.Collections.IEnumerable",
        "(int, int)", "(int A, string @class)", "(int Item1, int Item2)", "(int, (string, (bool, byte)))", "(int, int, int, int, int, int, int, int)", "(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int)", "(dynamic A, int B)", "ValueTuple", "ValueTuple<int>", "ValueTuple<int, int>", "ValueTuple<int, int, int, int, int, int, int, int>", "ValueTuple<int, int, int, int, int, int, int, ValueTuple<int>>", "Tuple<int>", "Tuple<int, int>", "(int, int)?[]", "(int?, string?[]?)?",
        "E", "E?", "E[]", "List<E?>", "Dictionary<E, E>", "HashSet<E>", "S", "S?", "S[]", "Dictionary<S, S>", "HashSet<S>", "N", "N?", "N[]", "V", "V?", "V[]", "Dictionary<V, V>", "HashSet<V>", "K", "Dictionary<K, K>", "HashSet<K>", "U", "U[]", "I", "I[]", "G<int>", "G<int>[]", "D", "X", "Y", "F", "Q", "R", "Dictionary<R, R>", "HashSet<R>", "Z", "List<Z>", "A", "W", "W[]", "W?", "L", "L[]", "C.P", "C.P[]", "@event", "List<@event>",
        "GM<int>", "GM<int>[]", "GM<string?>", "GM<K>", "GM<GM<V[]>>", "GM<(int A, string? @class)>", "GM<E?>", "GM<object>", "GM<dynamic>", "GM<A>", "GM<Z>", "GM<Span<int>>", "GM<int*[]>", "GM<@event>", "GM<List<C.P>>", "GS<int>", "GS<int>?", "GS<GS<float>>[]", "GS<E>", "GS<string>", "HashSet<GS<int>>", "Dictionary<GO<int>, GO<string>>", "GI<int>", "GI<L>",
    ];

    private static readonly string[] s_uses =
    [
        "[Message] public unsafe class M# {{ public {0} P {{ get; set; }} }}",
        "[Message] public unsafe class M# {{ public {0} P {{ get; init; }} }}",
        "[Message] public unsafe class M# {{ public {0} P; }}",
        "[Message] public unsafe class M# {{ public required {0} P {{ get; set; }} }}",
        "[Message] public unsafe class M# {{ public readonly {0} P; public M#({0} p) {{ P = p; }} }}",
        "[Message] public unsafe class M# {{ public List<{0}> P {{ get; set; }} = new(); }}",
        "[Message] public unsafe class M# {{ public {0}[] P {{ get; }} = []; public M#({0}[] p) {{ P = p; }} }}",
        "[Message] public unsafe class M# {{ public (int A, {0} B) P; }}",
        "[Message] public unsafe class M# {{ public ref {0} P => throw null!; }}",
        "[Message] public unsafe struct M# {{ public {0} P {{ get; set; }} }}",
        "[Message] public unsafe struct M# {{ public {0} P {{ get; init; }} }}",
        "[Message] public unsafe struct M# {{ public {0} P; }}",
        "[Message] public unsafe struct M# {{ public required {0} P {{ get; set; }} }}",
        "[Message] public unsafe record M#({0} P, {0} @class = default!);",
        "[Message] public unsafe readonly record struct M#({0} P, {0} @class = default!);",
        "[Message(VersionTolerant = true)] public unsafe class M# {{ [MessageField(2)] public {0} P; [MessageField(5)] public {0} Q {{ get; set; }} }}",
        "[Message(Pooled = true)] public unsafe class M# {{ public {0} P; public {0} Q {{ get; set; }} }}",
        "[MessageService] public unsafe interface M# {{ Task P({0} p, {0} @class = default!); event Action<int> Q; }}",
        "[MessageService] public unsafe interface M# {{ Task<{0}> P(); }}",
        "public unsafe delegate void T#({0} a); [MessageService] public unsafe interface M# {{ event T# P; }}",
    ];

    private static readonly string[] s_names = [.. (((IEnumerable<SyntaxKind>)[.. SyntaxFacts.GetKeywordKinds(), .. SyntaxFacts.GetContextualKeywordKinds()]).Select(kind => "@" + SyntaxFacts.GetText(kind)).Where(x => x.Length > 1 && char.IsLetter(x[1])).Distinct()),
        "_", "__", "value", "f0", "h0", "made", "reader", "buffer", "item", "run0", "tag", "c0", "Contract", "Cost", "Write", "TryRead", "TryRead0", "Write0", "Name", "Serialize", "TryDeserialize", "System", "Reloaded", "Messaging", "Generated", "MessageBuffer", "PayloadReader", "PayloadWriter", "MessageContract", "MessageShape", "CompressionOptions", "BlittableSerializer", "InstancePool", "PooledCollections", "Object", "Equals", "ToString1", "nameof1", "Client", "Bind", "CreateClient", "Declare", "caller", "canceled", "request", "service", "binding", "handler", "a0", "on0", "_caller", "Result", "Raise", "Handle", "Request", "Reply", "Event", "PRequest", "PReply", "PEvent", "SType", "Dispose", "GetHashCode1", "Main", "MessageContracts", "TypeMethods", "ObsoleteTypeMethods", "s_blank", "Blank", "Release", "Return", "TryReadInto", "Length", "Item1", "Rest", "Task", "ValueTask", "Peer", "CancellationToken", "Array", "Dictionary", "Ünicode", "名前", "a_b", "_0", "_1",
    ];

    private static readonly string[] s_named =
    [
        "namespace N#.{0} {{ [Message] public class {0} {{ public {0}? {0}1; public int {0}2; public List<{0}>? X {{ get; set; }} public {0}.{0}_? Y; [Message] public struct {0}_ {{ public int A; public bool B; }} }} }}",
        "[Message(Pooled = true)] public class M# {{ public List<int>? {0} {{ get; set; }} [Secret] public byte[]? B; }}",
        "[Message] public record M#(string {0}, int Z);",
        "[Message] public record M#(string Z, int {0}) {{ public required bool Y {{ get; init; }} }}",
        "[Message] public struct M# {{ public int {0}; public int Z; }}",
        "[MessageService] public interface M# {{ Task {0}(int a); }}",
        "[MessageService] public interface M# {{ Task<int> {0}(int a, CancellationToken b = default, Peer? c = null); }}",
        "[MessageService] public interface M# {{ Task<int> P(int {0}, CancellationToken b1 = default, Peer? c1 = null); }}",
        "[MessageService] public interface M# {{ Task<int> P(int x, CancellationToken {0} = default, Peer? c1 = null); }}",
        "[MessageService] public interface M# {{ ValueTask P(int x, CancellationToken b1 = default, Peer? {0} = null); }}",
        "[MessageService] public interface M# {{ event Action<int> {0}; }}",
        "public delegate void D#(int {0}, string {0}1); [MessageService] public interface M# {{ event D# P; }}",
        "namespace N#.{0} {{ [MessageService] public interface {0} {{ Task<int> {0}1(int x); event Action<int> {0}2; Task A(); Task<string> B(string c); }} }}",
    ];

    private static readonly string[] s_places =
    [
        "{0}", "namespace N# {{ {0} }}", "public class O# {{ {0} }}", "internal struct O# {{ {0} }}", "public interface O# {{ {0} }}", "public static class O# {{ {0} }}", "public record O# {{ {0} }}", "public class O#<T> {{ {0} }}", "public class O# {{ public class P<T> {{ {0} }} }}", "namespace @class.@int# {{ public class @void {{ {0} }} }}", "file class O# {{ {0} }}",
    ];

    private static readonly string[] s_kinds =
    [
        "class", "sealed class", "abstract class", "static class", "partial class", "unsafe class", "struct", "readonly struct", "ref struct", "readonly ref struct", "record", "sealed record", "abstract record", "record struct", "readonly record struct", "interface", "partial interface",
    ];

    /// <summary>Each type in some of the places for types. All pairs would take minutes.</summary>
    public static IEnumerable<string> Members => Some(s_types, s_uses, 3);

    /// <summary>Each name in some of the places for names.</summary>
    public static IEnumerable<string> Named => Some(s_names, s_named, 3);

    /// <summary>Each kind of type with each accessibility in each place.</summary>
    public static IEnumerable<string> Types =>
        from place in s_places
        from kind in s_kinds
        from access in new[] { "public", "internal", "private", "protected", "private protected", "protected internal", "file" }
        from form in access == "public" ? new[] { "{0} {1} M# {{ }}", "{0} {1} M#<T> {{ }}" } : ["{0} {1} M# {{ }}"]
        select string.Format(null, place, "[Message] " + string.Format(null, form, access, kind));

    public static IEnumerable<string> Services =>
    [
        .. new[] { "Task", "Task<int>", "ValueTask<List<string?>?>", "Task<V>", "void" }.SelectMany(static returned => new[]
        {
            $"[MessageService] public interface M# {{ {returned} P(); }}",
            $"[MessageService] public interface M# {{ {returned} P(int a, string? b = null, E c = E.@class, V d = default, params int[] e); }}",
            $"[MessageService] public interface M# {{ [Obsolete(\"no\", true)] {returned} P([Secret] string a, [Interned] string b); }}",
            $"[MessageService] public interface M# {{ [System.Diagnostics.CodeAnalysis.Experimental(\"XX\")] {returned} P([Secret] string a, [Interned] string b); }}",
            $"[MessageService] public interface M# {{ {returned} P(in int a); }}",
            $"[MessageService] public interface M# {{ {returned} P<T>(T a); }}",
            $"[MessageService] public interface M# {{ {returned} P() => throw null!; static {returned} Q() => throw null!; private {returned} R() => throw null!; }}",
            $"[MessageService] public interface M# {{ static abstract {returned} P(); }}",
            $"[MessageService] public interface M# {{ static virtual {returned} P() => throw null!; {returned} Q(); }}",
            $"[MessageService] public interface M# {{ protected {returned} P(); }}",
            $"[MessageService] public interface M# {{ internal {returned} P(); }}",
            $"[MessageService] public interface M# {{ private protected {returned} P(); }}",
            $"[MessageService] public interface M# {{ {returned} P(); {returned} P(int a); }}",
            $"[MessageService] public interface M# {{ {returned} P(); {returned} p(); }}",
            $"public interface B# {{ {returned} P(); }} [MessageService] public interface M# : B# {{ new {returned} P(); }}",
            $"public interface B# {{ {returned} P(); }} [MessageService] public interface M# : B# {{ {returned} B#.P() => throw null!; }}",
            $"public interface B# {{ {returned} P(); }} [MessageService] public interface M# : B# {{ abstract {returned} B#.P(); }}",
            $"public interface B#<T> {{ {returned} P(T a); }} [MessageService] public interface M# : B#<int>, B#<string> {{ }}",
            $"public interface B#<T> {{ {returned} P(T a); event Action<T> Q; }} [MessageService] internal interface M# : B#<int> {{ }}",
            $"public class O# {{ protected class T {{ }} [MessageService] protected interface M# {{ {returned} P(); }} }}",
            $"public class O# {{ [Message] internal class T {{ }} [MessageService] internal interface M# {{ {returned} P(T t); event Action<T> Q; }} }}",
            $"public class O# {{ [Message] internal class T {{ }} [MessageService] protected internal interface M# {{ {returned} P(); }} }}",
            $"[Obsolete(\"no\", true), MessageService] public interface M# {{ {returned} P(); event Action<int> Q; }}",
            $"[Obsolete, MessageService] public interface M# {{ {returned} P(); event Action<int> Q; }}",
            $"[System.Diagnostics.CodeAnalysis.Experimental(\"XX\"), MessageService] public interface M# {{ {returned} P(); event Action<int> Q; }}",
            $"file interface B# {{ }} [MessageService] file interface M# : B# {{ {returned} P(); }}",
            $"[MessageService] public partial interface M# {{ {returned} P(); }} public partial interface M# {{ {returned} Q(); }}",
            $"[MessageService] public interface M#<T> {{ {returned} P(T a); }}",
            $"public interface O#<T> {{ [MessageService] public interface M# {{ {returned} P(T a); }} }}",
            $"[MessageService] public interface M# {{ {returned} P(__arglist); }}",
            $"[MessageService] public interface M# {{ {returned} P(out int a); }}",
            $"[MessageService] public interface M# {{ {returned} P(ref readonly int a); }}",
            $"[MessageService] public interface M# {{ {returned} P(scoped Span<int> a); }}",
            $"[MessageService] public interface M# {{ {returned} load(int loadRequest); {returned} Get(int GetRequest); }}",
            $"[MessageService] public interface M# {{ {returned} P(string request, int caller, int canceled, string service, int binding); {returned} Client(); {returned} Bind(); {returned} CreateClient(); }}",
            $"[MessageService] public interface M# {{ {returned} A(); {returned} AReply(); {returned} ARequest(); event Action<int> AEvent; event Action<int> B; {returned} BEvent(); {returned} Equals(int a); {returned} GetHashCode(int a); {returned} ToString(int a); {returned} GetType(int a); {returned} MemberwiseClone(int a); {returned} Finalize(int a); {returned} ReferenceEquals(int a); }}",
        }),
        .. new[] { "Action", "Action<int>", "Action<int, int>", "Action<string?>", "EventHandler", "EventHandler<int>", "EventHandler<V>", "Func<int>", "Action<Action>", "Action<List<K>>", "Comparison<int>", "Action<A>", "Action<Z>", "Action<int*[]>", "D", "Delegate", "Action<dynamic>" }.SelectMany(static handler => new[]
        {
            $"[MessageService] public unsafe interface M# {{ event {handler} P; event {handler}? Q; }}",
            $"[MessageService] public unsafe interface M# {{ [Obsolete(\"no\", true)] event {handler} P; }}",
            $"[MessageService] public unsafe interface M# {{ static abstract event {handler} P; }}",
            $"[MessageService] public unsafe interface M# {{ internal event {handler} P; }}",
            $"[MessageService] public unsafe interface M# {{ protected event {handler} P; }}",
            $"public unsafe interface B# {{ event {handler} P; }} [MessageService] public unsafe interface M# : B# {{ new event {handler} P; }}",
        }),
        "public delegate void D#(ref int a); [MessageService] public interface M# { event D# P; }",
        "public delegate void D#(in int a); [MessageService] public interface M# { event D# P; }",
        "public delegate void D#(out int a); [MessageService] public interface M# { event D# P; }",
        "public delegate void D#(params int[] a); [MessageService] public interface M# { event D# P; }",
        "public delegate void D#(int PEvent); [MessageService] public interface M# { event D# P; }",
        "[Obsolete(\"no\", true)] public delegate void D#(int a); [MessageService] public interface M# { [Obsolete] event D# P; }",
        "[Obsolete(\"no\", true)] public enum E# { A } [MessageService] public interface M# { [Obsolete] Task P(E# a); }",
        "[Obsolete(\"no\", true)] public enum E# { A } [MessageService] public interface M# { [Obsolete] Task<E#> P(); }",
        "[Obsolete(\"no\", true)] public enum E# { A } [Obsolete] public delegate void D#(E# e); [MessageService] public interface M# { [Obsolete] event D# P; }",
        "[Message, Obsolete(\"no\", true)] public class T# { } [MessageService] public interface M# { [Obsolete] Task<T#> P(T# a); [Obsolete] event Action<T#> Q; }",
        "public interface B# { int P { get; } } [MessageService] public interface M# : B# { int B#.P => 3; }",
        "[MessageService] public interface M# { }", "[MessageService] public interface M# { const int A = 3; class N { } enum X { } delegate void Y(); static int Z; }", "[MessageService] public interface M# { int this[int i] => 3; }", "[MessageService] public interface M# { int this[int i] { get; } }", "[MessageService] public interface M# { int P { get; set; } }", "[MessageService] public interface M# { static abstract int operator +(M# a, M# b); }", "[MessageService] public interface M# { static abstract int operator +(M# a, int b); }", "[MessageService] public interface M# { static abstract implicit operator int(M# b); }",
    ];

    public static IEnumerable<string> Messages =>
    [
        .. new[] { "class", "record", "struct", "record struct" }.SelectMany(static kind => new[]
        {
            $"[Message] public {kind} M# {{ public M#() {{ }} public M#(int a) {{ }} public int A {{ get; set; }} }}",
            $"[Message] public {kind} M# {{ [Obsolete(\"no\", true)] public M#() {{ }} public int A {{ get; set; }} }}",
            $"[Message] public {kind} M# {{ [Obsolete(\"no\", true)] public M#(int a) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public {kind} M# {{ private M#(int a) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public {kind} M# {{ internal M#(int a) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public {kind} M# {{ public M#(params int[] a) {{ A = a; }} public int[] A {{ get; }} }}",
            $"[Message] public {kind} M# {{ public M#(params List<int> a) {{ A = a; }} public List<int> A {{ get; }} }}",
            $"[Message] public {kind} M# {{ public M#(ref readonly int a) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public {kind} M# {{ public M#(in int a, scoped Span<int> b = default) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public unsafe {kind} M# {{ public M#(int a, int* b = null) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public {kind} M# {{ public M#(int a, int A) {{ this.A = A; this.a = a; }} public int A {{ get; }} public int a {{ get; }} }}",
            $"[Message] public {kind} M# {{ [System.Diagnostics.CodeAnalysis.SetsRequiredMembers] public M#(int a) {{ A = a; B = a; }} public required int A {{ get; init; }} public required int B {{ get; init; }} }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public required int A; [MessageIgnore] public required int B; }}",
            $"[Message] public {kind} M# {{ public M#(int a, [System.Runtime.CompilerServices.CallerLineNumber] int b = 0) {{ A = a; }} public int A {{ get; }} }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} [Obsolete(\"no\", true)] public int A {{ get; set; }} [Obsolete(\"no\", true)] public int B; }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public int A {{ get; private set; }} public int B {{ get; internal set; }} public int C {{ internal get; set; }} }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public volatile int A; public const int B = 3; public static int C; public static readonly int D; }}",
            $"[Message] public unsafe {kind} M# {{ public M#() {{ }} public int* A; }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public int A {{ get => field; set => field = value; }} = 5; }}",
            $"[Message] public partial {kind} M# {{ public M#() {{ }} public partial int A {{ get; set; }} }} public partial {kind} M# {{ public partial int A {{ get => 3; set {{ }} }} }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} [System.Diagnostics.CodeAnalysis.Experimental(\"XX\")] public int A {{ get; set; }} }}",
            $"[Message, System.Diagnostics.CodeAnalysis.Experimental(\"XX\")] public {kind} M# {{ public M#() {{ }} public int A {{ get; set; }} }}",
            $"[Message] public {kind} M# {{ [System.Diagnostics.CodeAnalysis.Experimental(\"XX\")] public M#() {{ }} public int A {{ get; set; }} }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public int A {{ get; set; }} = int.MinValue; public long B = long.MinValue; public float C = float.Epsilon; public double D = double.MinValue; public decimal F = decimal.MinValue; public char G = '\\''; public string H = \"\\\"\\\\\\0\\n\"; public E I = (E)99; public E J = E.@class; public bool K = true; public DateTime L = DateTime.MaxValue; public int? N = -5; public sbyte O = sbyte.MinValue; public short P = -1; public nint Q1 = -1; }}",
            $"[Message] public {kind} M#(int a = int.MinValue, long b = long.MinValue, float c = float.NegativeInfinity, decimal d = -1.0m, char e = '\\n', string f = \"\\\"\\\\\", E g = (E)99, E? h = E.A, sbyte i = -1, int? j = -5, DateTime k = default, V l = default, byte? m = 255, ulong n = ulong.MaxValue, E? o = (E)77, sbyte? p = -128) {{ public int A {{ get; }} = a; public long B {{ get; }} = b; public float C {{ get; }} = c; public decimal D {{ get; }} = d; public char E1 {{ get; }} = e; public string F {{ get; }} = f; public E G {{ get; }} = g; public E? H {{ get; }} = h; public sbyte I {{ get; }} = i; public int? J {{ get; }} = j; public DateTime K {{ get; }} = k; public V L {{ get; }} = l; public byte? M {{ get; }} = m; public ulong N {{ get; }} = n; public E? O {{ get; }} = o; public sbyte? P {{ get; }} = p; }}",
            $"public class O# {{ private const int X = 3; [Message] public {kind} M# {{ public M#() {{ }} public int A {{ get; set; }} = X; private static int Y => 4; public int B {{ get; init; }} = Y; }} }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public Missing# A {{ get; set; }} }} [Message] public class Missing# {{ }}",
            $"[Message] public {kind} M# : IComparable {{ public M#() {{ }} int IComparable.CompareTo(object? o) => 0; public static bool operator ==(M# a, object? b) => throw null!; public static bool operator !=(M# a, object? b) => throw null!; public static implicit operator M#(int a) => throw null!; }}",
            $"[Message] public {kind} M# {{ public M#() {{ }} public int A {{ get; set; }} public void Deconstruct(out int a, out int b) => a = b = 0; public void Add(int a) {{ }} public new int GetHashCode() => 3; public new Type GetType() => typeof(int); public new bool Equals(object? o) => true; }}",
            $"public class Z#: Squeezer {{ }} [Message(Compressor = typeof(Z#))] public {kind} M# {{ }}",
            $"[Message(Compressor = typeof(BrotliCompressor))] public {kind} M# {{ }}",
            $"[Message(uint.MaxValue - 70000, Version = int.MaxValue, CompressionThreshold = int.MaxValue)] public {kind} M# {{ }}",
        }),
        "[Message, MessageUnion(0, typeof(A#))] public interface M# { static abstract int P { get; } } [Message] public class A# : M# { public static int P => 3; }",
        "[Message, MessageUnion(0, typeof(A#))] public interface M# { static abstract void P(); } [Message] public class A# : M# { public static void P() { } } [Message] public class B# { public M#? C; public List<M#>? D; }",
        "public interface B# { static abstract int P { get; } } [Message, MessageUnion(0, typeof(A#))] public interface M# : B# { } [Message] public class A# : M# { public static int P => 3; }",
        "public interface B#<T> where T : B#<T> { static abstract T P(); } [Message, MessageUnion(0, typeof(A#))] public interface M# : B#<A#> { } [Message] public class A# : M# { public static A# P() => throw null!; }",
        "public interface B# { static abstract int P { get; } } [Message, MessageUnion(0, typeof(A#))] public interface M# : B# { static int B#.P => 3; } [Message] public class A# : M# { }",
        "[Message, MessageUnion(0, typeof(A#))] public interface M# { static virtual int P => 3; } [Message] public class A# : M# { }",
        "public interface I# { static abstract int P { get; } } [Message] public class M# { public List<A#>? A; } [Message] public class A# : I# { public static int P => 3; }",
        "[Message, MessageUnion(0, typeof(A#))] public abstract class M# { private protected M#() { } } [Message] public sealed class A# : M# { }",
        "[Message, MessageUnion(0, typeof(A#))] public abstract class M# { } [Message] internal sealed class A# : M# { }",
        "[Message, MessageUnion(0, typeof(A#))] public abstract class M# { } [Message] file sealed class A# : M# { }",
        "[Message, MessageUnion(0, typeof(O#.A))] public abstract class M# { } public class O# { [Message] private sealed class B { } [Message] public sealed class A : M# { } }",
        "[Message, MessageUnion(0, typeof(M#.A))] public abstract class M# { [Message] private sealed class A : M# { } }",
        "[Message, MessageUnion(0, typeof(A#))] public abstract class M# { } [Message, Obsolete(\"no\", true)] public sealed class A# : M# { }",
        "[Message, Obsolete, MessageUnion(0, typeof(A#))] public abstract class M# { } [Message, Obsolete(\"no\", true)] public sealed class A# : M# { }",
        "[Message, MessageUnion(0, typeof(A#))] public abstract class M# { } [Message] public sealed class A# : M# { public int A { get; } }",
        "[Message, MessageUnion(0, typeof(A#))] public abstract class M# { } [Message] public class A# : M# { } [Message] public class B# : A# { public M#? C; }",
        "[Message, MessageUnion(0, typeof(A#<int>))] public abstract class M# { } [Message] public class A#<T> : M# { }",
        "[Message, MessageUnion(0, typeof(A#))] public interface M# { } [Message] public struct A# : M# { }",
        "[Message, MessageUnion(0, typeof(M#))] public interface M# { }",
        "[Message, MessageUnion(0, typeof(string)), MessageUnion(1, typeof(int)), MessageUnion(2, typeof(int*))] public unsafe interface M# { }",
        "public class O# { protected class T { } [Message] protected internal class M# { public int A; } }",
        "[Obsolete(\"no\", true)] public class Z#: Squeezer { } [Obsolete, Message(Compressor = typeof(Z#))] public class M# { }",
        "public class Z#<T>: Squeezer { } [Message(Compressor = typeof(Z#<int>))] public class M# { }",
        "public class Z#: Squeezer { public required int X; } [Message(Compressor = typeof(Z#))] public class M# { }",
        "public class Z#: Squeezer { public Z#(int a = 3) {} public Z#(string? b = null) {} } [Message(Compressor = typeof(Z#))] public class M# { }",
        "public class Z#: Squeezer { [Obsolete(\"no\", true)] public Z#() {} } [Message(Compressor = typeof(Z#))] public class M# { }",
        "[Obsolete(\"no\", true)] public class B# { public int A; } [Obsolete, Message] public class M# : B# { }",
        "public class B# { [Obsolete(\"no\", true)] public B#() { } public int A; } [Message] public class M# : B# { [Obsolete] public M#() { } }",
        "[Message, Obsolete(\"no\", true)] public class B# { public int A; } [Message] public class M# { [Obsolete] public B#? A; [Obsolete] public List<B#>? B; [Obsolete] public (int, B#?)[]? C; }",
        "[Message, Obsolete(\"no\", true)] public struct B# { public int A; } [Message] public class M# { [Obsolete] public B#? A; [Obsolete] public List<B#>? B; [Obsolete] public (int, B#?)[]? C; }",
        "public struct K# { [Obsolete(\"no\", true)] public int A; public int B; } [Message] public class M# { public Dictionary<K#, int>? A; public HashSet<K#>? B; }",
        "public readonly record struct K#(int A, string B) { [Obsolete(\"no\", true)] public int C { get; init; } } [Message] public class M# { public Dictionary<K#, int>? A; }",
        "[Message] public readonly record struct K#(int A, string B) { [Obsolete(\"no\", true)] public int C { get; init; } } [Message] public class M# { public Dictionary<K#, int>? A; public HashSet<K#>? B; }",
        "[Message] public record K#(int A, string B) { private int C { get; init; } internal E D; private protected int F; } [Message] public class M# { public Dictionary<K#, int>? A; public HashSet<K#>? B; }",
        "public struct K# { private int _a; public E B; private S C; } [Message] public class M# { public Dictionary<K#, int>? A; public HashSet<K#[]>? B; public HashSet<(K#, K#?)>? C; }",
        "[Message] public struct M# { public M#() { } public int A = 3; }", "[Message] public struct M#(int a) { public int A = a; }", "[Message] public struct M#(int a) { public int A { get; } = a; public M#() : this(3) { } }",
        "public unsafe struct B# { public fixed int A[4]; } [Message] public struct M# { public B# A; }",
        "[Message] public unsafe struct M# { public fixed int A[4]; public int B; }", "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Explicit), Message] public struct M# { [System.Runtime.InteropServices.FieldOffset(0)] public int A; [System.Runtime.InteropServices.FieldOffset(0)] public float B; }",
        "[Message, System.Runtime.CompilerServices.InlineArray(3)] public struct M# { public int A; }",
        "public static class X# { extension(M# m) { public int Ext => 3; } } [Message] public class M# { public int A; }",
        "namespace N# { using M = System.Int32; [Message] public class M# { public M A; } }", "namespace N# { using M = (int A, int B)[]; [Message] public class M# { public M? A; } }",
        "[Message] public class M# { public global::System.Int32 A; } [Message] public class M#<T> { }",
        "public class B# { protected internal int A { get; set; } public virtual int B { get; protected set; } } [Message] public class M# : B# { public override int B { get; protected set; } }",
        "public class B# { public virtual int B { get; private set; } } [Message] public class M# : B# { public override int B => 3; }",
        "public interface I# { int A { get; set; } int D => 3; } [Message] public class M# : I# { int I#.A { get; set; } }",
        "[Message] public class M# { public class A { } public struct B { public int C; } public B X; public enum D { E } public D Y; private enum F { } private F Z { get; set; } }",
    ];

    public static IEnumerable<string> Handlers =>
    [
        .. new[] { "public class H# : IEventHandler<{0}> {{ public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "file class H# : IEventHandler<{0}> {{ public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "[Obsolete(\"no\", true)] public class H# : IEventHandler<{0}> {{ public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "[System.Diagnostics.CodeAnalysis.Experimental(\"XX\")] public class H# : IEventHandler<{0}> {{ public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "public class H# : IEventHandler<{0}> {{ private H#() {{ }} public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "public class H#(int x) : IEventHandler<{0}> {{ public required int A; public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "public class H# : IRequestHandler<{0}, {0}> {{ public ValueTask<{0}> HandleAsync({0} m, Peer p, CancellationToken t) => default; }}", "public static class O# {{ private class T {{ }} private class H : IEventHandler<T> {{ public ValueTask HandleAsync(T m, Peer p, CancellationToken t) => default; }} public class H# : IEventHandler<T[]> {{ ValueTask IEventHandler<T[]>.HandleAsync(T[] m, Peer p, CancellationToken t) => default; }} }}", "public static class O# {{ private class T {{ }} internal class H# : IEventHandler<List<T>> {{ ValueTask IEventHandler<List<T>, Peer>.HandleAsync(List<T> m, Peer p, CancellationToken t) => default; }} }}", "file class T# {{ }} internal class H# : IEventHandler<T#[]> {{ ValueTask IEventHandler<T#[], Peer>.HandleAsync(T#[] m, Peer p, CancellationToken t) => default; }}", "public abstract class H# : IEventHandler<{0}> {{ public abstract ValueTask HandleAsync({0} m, Peer p, CancellationToken t); }}", "public class H#<T> : IEventHandler<{0}> {{ public ValueTask HandleAsync({0} m, Peer p, CancellationToken t) => default; }}" }.SelectMany(static form => new[] { "V", "K", "string", "int", "int[]", "List<K>", "A", "I", "U", "(int, int)", "object", "dynamic[]", "E", "int?", "int*[]", "Span<int>", "@event" }.Select(type => string.Format(null, form, type))),
    ];

    private static IEnumerable<string> Some(string[] values, string[] forms, int count) =>
        values.SelectMany((value, i) => Enumerable.Range(0, count).Select(k => string.Format(null, forms[(i + (k * forms.Length / count)) % forms.Length], value)));
}
