using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>Changes of a contract: the table "Evolution" of docs/specification/binary-format.md. All languages are tested with them.</summary>
public static class EvolutionChanges
{
    private const string Item = "[Message(7)] public class Item { public int A; public string? B; public double C; }";
    private const string ItemValue = """new() { A = 1, B = "b", C = 2.5 }""";

    /// <summary>Changes after which both versions read each other: the message, the value and what is shown; for the old version and for the new one.</summary>
    public static TheoryData<string, string[], string[], string, string> Compatible => new()
    {
        {
            "a field added at the end",
            ["[Message(5)] public class M { public int A; }", "new() { A = 1 }", "{m.A}"],
            ["[Message(5)] public class M { public int A; public int B = 9; }", "new() { A = 1, B = 2 }", "{m.A} {m.B}"],
            "1 9",
            "1"
        },
        {
            "a field added at the end of a message in a list",
            ["[Message(5)] public class M { public List<Item> Items = []; } [Message(7)] public class Item { public int A; }", "new() { Items = { new() { A = 1 }, new() { A = 2 } } }", "{string.Join('/', m.Items.Select(static i => i.A))}"],
            ["[Message(5)] public class M { public List<Item> Items = []; } [Message(7)] public class Item { public int A; public string B = \"none\"; }", "new() { Items = { new() { A = 1, B = \"x\" }, new() { A = 2 } } }", "{string.Join('/', m.Items.Select(static i => i.A + i.B))}"],
            "1none/2none",
            "1/2"
        },
        {
            "a field added at the end of a generic message",
            ["[Message(5)] public class M { public Page<string> P = new(); } [Message] public class Page<T> { public List<T> A = []; }", "new() { P = new() { A = { \"x\" } } }", "{m.P.A[0]}"],
            ["[Message(5)] public class M { public Page<string> P = new(); } [Message] public class Page<T> { public List<T> A = []; public int B = 7; }", "new() { P = new() { A = { \"x\" }, B = 2 } }", "{m.P.A[0]} {m.P.B}"],
            "x 7",
            "x"
        },
        {
            "a member added to an enum",
            ["public enum Side { Friend, Enemy } [Message(5)] public class M { public Side A; }", "new() { A = Side.Enemy }", "{m.A}"],
            ["public enum Side { Friend, Enemy, Neutral } [Message(5)] public class M { public Side A; }", "new() { A = Side.Neutral }", "{m.A}"],
            "Enemy",
            "2"
        },
        {
            "a member of an enum renamed, with the former name beside it",
            ["public enum Side { Friend, Enemy } [Message(5)] public class M { public Side A; }", "new() { A = Side.Enemy }", "{(int)m.A}"],
            ["public enum Side { Friend, Foe, Enemy = 1 } [Message(5)] public class M { public Side A; }", "new() { A = Side.Foe }", "{(int)m.A}"],
            "1",
            "1"
        },
        {
            "an enum in place of a number",
            ["[Message(5)] public class M { public int A; }", "new() { A = 1 }", "{m.A}"],
            ["public enum Side { Friend, Enemy } [Message(5)] public class M { public Side A; }", "new() { A = Side.Enemy }", "{m.A}"],
            "Enemy",
            "1"
        },
        {
            "a type with a converter in place of its surrogate",
            ["[Message(5)] public class M { public int A; }", "new() { A = 1 }", "{m.A}"],
            [Converted("int", "Level"), "new() { A = new(2) }", "{m.A}"],
            "1",
            "2"
        },
        {
            "a struct with properties in place of one with fields",
            ["public struct Point { public float x; public float y; } [Message(5)] public class M { public Point A; }", "new() { A = new() { x = 1, y = 2 } }", "{m.A.x} {m.A.y}"],
            ["public struct Point { public float X { get; set; } public float Y { get; set; } } [Message(5)] public class M { public Point A; }", "new() { A = new() { X = 1, Y = 2 } }", "{m.A.X} {m.A.Y}"],
            "1 2",
            "1 2"
        },
        {
            "a list in place of an array",
            ["[Message(5)] public class M { public int[] A = []; }", "new() { A = [1, 2] }", "{string.Join('/', m.A)}"],
            ["[Message(5)] public class M { public List<int> A = []; }", "new() { A = [1, 2] }", "{string.Join('/', m.A)}"],
            "1/2",
            "1/2"
        },
        {
            "items of a tuple that got names",
            ["[Message(5)] public class M { public (int, string?) A; }", "new() { A = (1, \"x\") }", "{m.A.Item1} {m.A.Item2}"],
            ["[Message(5)] public class M { public (int Count, string? Name) A; }", "new() { A = (1, \"x\") }", "{m.A.Count} {m.A.Name}"],
            "1 x",
            "1 x"
        },
        {
            "fields of a version-tolerant message added, removed and moved",
            ["[Message(5, VersionTolerant = true)] public class M { [MessageField(0)] public int A; [MessageField(2)] public int B; [MessageField(3)] public int C; }", "new() { A = 1, B = 2, C = 3 }", "{m.A} {m.B} {m.C}"],
            ["[Message(5, VersionTolerant = true)] public class M { [MessageField(3)] public int C; [MessageField(0)] public int A; [MessageField(4)] public int D; }", "new() { A = 1, C = 3, D = 4 }", "{m.A} {m.C} {m.D}"],
            "1 3 0",
            "1 0 3"
        },
        {
            "a field of a version-tolerant message renamed, with FormerName",
            ["[Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public int Health; }", "new() { Health = 1 }", "{m.Health}"],
            ["[Message(5, VersionTolerant = true)] public class M { [MessageField(1, FormerName = \"Health\")] public int HitPoints; }", "new() { HitPoints = 1 }", "{m.HitPoints}"],
            "1",
            "1"
        },
        {
            "a case added to a union, and not sent",
            ["[Message(6), MessageUnion(0, typeof(A))] public interface U { } [Message(7)] public record A(int X) : U; [Message(5)] public class M { public U? V; }", "new() { V = new A(1) }", "{m.V}"],
            ["[Message(6), MessageUnion(0, typeof(A)), MessageUnion(1, typeof(B))] public interface U { } [Message(7)] public record A(int X) : U; [Message(8)] public record B(int X) : U; [Message(5)] public class M { public U? V; }", "new() { V = new A(1) }", "{m.V}"],
            "A { X = 1 }",
            "A { X = 1 }"
        },
        {
            "a field added to a message that contains itself",
            ["[Message(5)] public class M { public int A; public List<M>? Inner; }", "new() { A = 1, Inner = [new() { A = 2 }] }", "{m.A} {m.Inner![0].A}"],
            ["[Message(5)] public class M { public int A; public List<M>? Inner; public int B = 9; }", "new() { A = 1, Inner = [new() { A = 2, B = 3 }], B = 4 }", "{m.A} {m.Inner![0].A} {m.Inner[0].B} {m.B}"],
            "1 2 9 9",
            "1 2"
        },
        {
            "fields with constant defaults added at the end",
            ["[Message(5)] public class M { public int A; }", "new() { A = 1 }", "{m.A}"],
            [
                "[Message(5)] public class M { public int A; public int B = 9; public string C = \"ßx\"; public double D = 1.5; public bool E = true; public long F = 1099511627776; public decimal G = 1.50m; public char H = 'z'; public byte? I = 255; public ulong J = 18446744073709551615; public float K = 0.1f; }",
                "new() { A = 1, B = 2, C = \"\", D = 3, E = false, F = 4, G = 5, H = 'y', I = null, J = 6, K = 7 }",
                "{m.A} {m.B} {m.C} {m.D} {m.E} {m.F} {m.G} {m.H} {m.I} {m.J} {m.K}",
            ],
            "1 9 ßx 1.5 True 1099511627776 1.50 z 255 18446744073709551615 0.1",
            "1"
        },
        {
            "fields whose defaults are constant expressions added at the end",
            ["public enum Side { Friend, Enemy } [Message(5)] public class M { public int A; }", "new() { A = 1 }", "{m.A}"],
            [
                "public enum Side { Friend, Enemy } [Message(5)] public class M { public const int Four = 4; public int A; public int B = Four * 2 + 1; public string C = \"ß\" + \"x\"; public double D = -1.5; public bool E = true; public long F = 1L << 40; public Side G = Side.Enemy; public decimal H = 1.50m; public char I = 'z'; public byte? J = byte.MaxValue; public ulong K = ulong.MaxValue; public float L = 0.1f; }",
                "new() { A = 1, B = 2, C = \"\", D = 3, E = false, F = 4, G = Side.Friend, H = 5, I = 'y', J = null, K = 6, L = 7 }",
                "{m.A} {m.B} {m.C} {m.D} {m.E} {m.F} {m.G} {m.H} {m.I} {m.J} {m.K} {m.L}",
            ],
            "1 9 ßx -1.5 True 1099511627776 Enemy 1.50 z 255 18446744073709551615 0.1",
            "1"
        },
        {
            "a field with a default of its constructor added at the end",
            ["[Message(5)] public record M(int A);", "new(1)", "{m.A}"],
            ["[Message(5)] public record M(int A, string B = \"none\", int? C = 7);", "new(1, \"x\", null)", "{m.A} {m.B} {m.C}"],
            "1 none 7",
            "1"
        },
        {
            "fields with initializers added to a record",
            ["[Message(5)] public record M(int A);", "new(1)", "{m.A}"],
            ["[Message(5)] public record M(int A) { public int B { get; init; } = 9; public string C { get; set; } = \"none\"; public List<int> D { get; init; } = []; }", "new(1) { B = 2, C = \"x\", D = [3] }", "{m.A} {m.B} {m.C} {m.D.Count}"],
            "1 9 none 0",
            "1"
        },
        {
            "a field with a default added at the end of a positional struct",
            ["[Message(5)] public record struct M(int A);", "new(1)", "{m.A}"],
            ["[Message(5)] public record struct M(int A, int B = 9);", "new(1, 2)", "{m.A} {m.B}"],
            "1 9",
            "1"
        },
        {
            "a field added at the end of a type of a union, in a version-tolerant message",
            ["[Message(6), MessageUnion(3, typeof(A))] public interface U { } [Message(7)] public record A(int X) : U; [Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public Dictionary<string, U> V = []; }", "new() { V = { [\"a\"] = new A(1) } }", "{m.V[\"a\"]}"],
            ["[Message(6), MessageUnion(3, typeof(A))] public interface U { } [Message(7)] public record A(int X, int Y = 9) : U; [Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public Dictionary<string, U> V = []; }", "new() { V = { [\"a\"] = new A(1, 2) } }", "{m.V[\"a\"]}"],
            "A { X = 1, Y = 9 }",
            "A { X = 1 }"
        },
    };

    /// <summary>Changes after which the new version reads the old one, and the old version cannot read this value of the new one: the old version, the new version, and what the new version shows of the old value.</summary>
    public static TheoryData<string, string[], string[], string> Unreadable => new()
    {
        {
            "a type added to a union, and sent",
            ["[Message(6), MessageUnion(0, typeof(A))] public interface U { } [Message(7)] public record A(int X) : U; [Message(5)] public class M { public U? V; }", "new() { V = new A(1) }", "{m.V}"],
            ["[Message(6), MessageUnion(0, typeof(A)), MessageUnion(1, typeof(B))] public interface U { } [Message(7)] public record A(int X) : U; [Message(8)] public record B(int X) : U; [Message(5)] public class M { public U? V; }", "new() { V = new B(2) }", "{m.V}"],
            "A { X = 1 }"
        },
        {
            "null in place of a string",
            ["[Message(5)] public class M { public string A = \"\"; public int B; }", "new() { A = \"x\", B = 1 }", "{m.A} {m.B}"],
            ["[Message(5)] public class M { public string? A; public int B; }", "new() { B = 2 }", "{m.A} {m.B}"],
            "x 1"
        },
        {
            "null in place of a message in a list",
            ["[Message(5)] public class M { public List<Item> A = []; } [Message(7)] public record Item(int X);", "new() { A = [new(1)] }", "{m.A[0].X}"],
            ["[Message(5)] public class M { public List<Item?> A = []; } [Message(7)] public record Item(int X);", "new() { A = [null] }", "{m.A[0]!.X}"],
            "1"
        },
    };

    /// <summary>Changes that are refused: the old version, the new version, and the difference as the old version sees it.</summary>
    public static TheoryData<string, string, string, string, string> Refused => new()
    {
        { "a field of a message in a list removed", Within("List<Item>"), Within("List<Item>").Replace(" public string? B;", "").Replace("B = \"b\", ", ""), "Items", "field 2 of M.Items[] is B (string) here and C (float64) there" },
        { "a field of a message in a list given another type", Within("List<Item>"), Within("List<Item>").Replace("public string? B", "public int B").Replace("B = \"b\"", "B = 3"), "Items", "M.Items[].B is string here and int32 there" },
        { "a field of a message in a dictionary of lists given another type", Within("Dictionary<string, List<Item>>"), Within("Dictionary<string, List<Item>>").Replace("public double C", "public float C").Replace("C = 2.5", "C = 2"), "Dictionary", "M.Items[][].C is float64 here and float32 there" },
        { "fields of a nested message moved", Within("Item"), Within("Item").Replace("public int A; public string? B;", "public string? B; public int A;"), "Item", "field 1 of M.Items is A (int32) here and B (string) there" },
        { "a field of a nested message renamed", Within("Item"), Within("Item").Replace("A;", "Count;").Replace("A = 1", "Count = 1"), "Item", "field 1 of M.Items is A (int32) here and Count (int32) there" },
        { "the version of a nested message raised", Within("Item"), Within("Item").Replace("[Message(7)]", "[Message(7, Version = 2)]"), "Item", "the version of Item in M.Items is 1 here and 2 there" },
        { "another id for a nested message", Within("Item"), Within("Item").Replace("[Message(7)]", "[Message(8)]"), "Item", "M.Items is Item (message 7) here and Item (message 8) there" },
        { "a nested message made version-tolerant", Within("Item").Replace("public double C; ", "").Replace(", C = 2.5", ""), "[Message(5)] public class M { public Item Items = new(); } [Message(7, VersionTolerant = true)] public class Item { [MessageField(1)] public int A; [MessageField(2)] public string? B; }|new()", "Item", "M.Items is not version-tolerant here and version-tolerant there" },
        { "a field that is no longer nullable", "[Message(5)] public class M { public int? A; }|new()", "[Message(5)] public class M { public int A; }|new()", "", "M.A is nullable int32 here and int32 there" },
        { "an enum of another size", "public enum E { A } [Message(5)] public class M { public List<E> L = []; }|new()", "public enum E : byte { A } [Message(5)] public class M { public List<E> L = []; }|new()", "", "M.L[] is int32 (enum) here and uint8 (enum) there" },
        { "fields of a plain struct moved", Struct("public float X; public float Y;"), Struct("public float Y; public float X;"), "", "item 1 of M.S[] is X here and Y there" },
        { "a field of a plain struct renamed", Struct("public float X; public float Y;"), Struct("public float X; public float Angle;"), "", "item 2 of M.S[] is Y here and Angle there" },
        { "a field of a plain struct given another type of the same size", Struct("public float X; public float Y;"), Struct("public float X; public int Y;"), "", "M.S[].Y is float32 here and int32 there" },
        { "a field added to a plain struct", Struct("public float X;"), Struct("public float X; public float Y;"), "", "M.S[] is (X float32) here and (X float32, Y float32) there" },
        { "members of an enum with exchanged numbers", Enum("Friend, Enemy"), Enum("Enemy, Friend"), "", "the member Enemy of M.E is 1 here and 0 there" },
        { "a member inserted into an enum", Enum("Friend, Enemy"), Enum("Friend, Neutral, Enemy"), "", "the member Enemy of M.E is 1 here and 2 there" },
        { "the number of an enum's member used again", Enum("Friend, Enemy"), Enum("Friend, Trader"), "", "the number 1 of M.E is Enemy here and Trader there; for a renamed member, keep the former name as a second member with the same number" },
        { "an enum in a struct", "public enum E { A, B } public struct P { public E E; public int N; } [Message(5)] public class M { public P P; }|new()", "public enum E { B, A } public struct P { public E E; public int N; } [Message(5)] public class M { public P P; }|new()", "", "the member A of M.P.E is 0 here and 1 there" },
        { "an enum as the key of a dictionary", "public enum E { A, B } [Message(5)] public class M { public Dictionary<E, int> D = []; }|new()", "public enum E { B, A } [Message(5)] public class M { public Dictionary<E, int> D = []; }|new()", "", "the member A of M.D[key] is 0 here and 1 there" },
        { "items of a tuple exchanged", "[Message(5)] public class M { public (int Width, int Height) T; }|new()", "[Message(5)] public class M { public (int Height, int Width) T; }|new()", "", "item 1 of M.T is Width here and Height there" },
        { "an item of a tuple given another type", "[Message(5)] public class M { public (int, string?) T; }|new()", "[Message(5)] public class M { public (int, int) T; }|new()", "", "M.T is string here and int32 there" },
        { "the number of a version-tolerant field used again", "[Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public int Health; }|new()", "[Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public int Mana; }|new()", "", "field 1 of M is Health (int32) here and Mana (int32) there; for a renamed field, set FormerName of its [MessageField], and give another field an unused number" },
        { "a version-tolerant field given another type", "[Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public int A; }|new()", "[Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public long A; }|new()", "", "M.A is int32 here and int64 there" },
        { "the tag of a union used again", Union("A", 7, "B", 8), Union("A", 8, "B", 7), "", "M.V<0> is A (message 7) here and A (message 8) there" },
        { "a field in a case of a union given another type", Union("A", 7, "B", 8), Union("A", 7, "B", 8).Replace("A(int X)", "A(long X)"), "", "M.V<0>.X is int32 here and int64 there" },
        { "another surrogate of a converter", Converted("int", "Level") + "|new()", Converted("long", "Level") + "|new()", "", "M.A is int32 here and int64 there" },
        { "an item of the surrogate of a converter renamed", Converted("(int Low, int High)", "Level[]") + "|new()", Converted("(int Low, int Top)", "Level[]") + "|new()", "", "item 2 of M.A[] is High here and Top there" },
        { "a set in place of a dictionary", "[Message(5)] public class M { public Dictionary<int, int> D = []; }|new()", "[Message(5)] public class M { public HashSet<int> D = []; }|new()", "", "M.D is dictionary of int32 to int32 here and list of int32 there" },
        { "a deep change in a message that contains itself", Tree("int"), Tree("long"), "", "M.Trunk.Leaf.Size is int32 here and int64 there" },
        { "a field inserted", "[Message(5)] public class M { public int A; public string? B; }|new()", "[Message(5)] public class M { public int A; public int X; public string? B; }|new()", "", "field 2 of M is B (string) here and X (int32) there" },
        { "a field removed", "[Message(5)] public class M { public int A; public string? B; public double C; }|new()", "[Message(5)] public class M { public int A; public double C; }|new()", "", "field 2 of M is B (string) here and C (float64) there" },
        { "the version of the message raised", "[Message(5)] public class M { public int A; }|new()", "[Message(5, Version = 2)] public class M { public int A; }|new()", "", "the version is 1 here and 2 there" },
        { "the message made version-tolerant", "[Message(5)] public class M { public int A; }|new()", "[Message(5, VersionTolerant = true)] public class M { [MessageField(1)] public int A; }|new()", "", "M is not version-tolerant here and version-tolerant there" },
        { "a plain struct made a message", "public struct S { public float X; } [Message(5)] public class M { public S S; }|new()", "[Message(7)] public struct S { public float X; } [Message(5)] public class M { public S S; }|new()", "", "M.S is (X float32) here and S (message 7) there" },
        { "a message removed from a list of lists", "[Message(5)] public class M { public List<List<Item>> L = []; } [Message(7)] public record Item(int X);|new()", "[Message(5)] public class M { public List<List<int>> L = []; }|new()", "", "M.L[][] is Item (message 7) here and int32 there" },
    };

    private static string Within(string type) =>
        $"[Message(5)] public class M {{ public {type} Items = new(); }} {Item}|new()" + (type == "List<Item>" ? $" {{ Items = [{ItemValue}] }}" : "");

    private static string Converted(string surrogate, string type) =>
        $"[Message(5)] public class M {{ [MessageConverter(typeof(C))] public {type} A{(type == "Level" ? "" : " = []")}; }} public readonly struct Level(int number) {{ public int Get() => number; public override string ToString() => $\"{{number}}\"; }} " +
        $"public static class C {{ public static {surrogate} ToSurrogate(Level value) => {(surrogate[0] == '(' ? "(value.Get(), 0)" : "value.Get()")}; public static bool TryFromSurrogate({surrogate} surrogate, out Level value) {{ value = new((int){(surrogate[0] == '(' ? "surrogate.Low" : "surrogate")}); return true; }} }}";

    private static string Struct(string fields) => $"public struct S {{ {fields} }} [Message(5)] public class M {{ public S[] S = []; }}|new()";

    private static string Enum(string members) => $"public enum E {{ {members} }} [Message(5)] public class M {{ public E E; }}|new()";

    private static string Union(string first, int firstId, string second, int secondId) =>
        $"[Message(6), MessageUnion(0, typeof({first})), MessageUnion(1, typeof({second}))] public interface U {{ }} [Message({firstId})] public record {first}(int X) : U; [Message({secondId})] public record {second}(int X) : U; [Message(5)] public class M {{ public U? V; }}|new()";

    private static string Tree(string size) =>
        $"[Message(5)] public class M {{ public Branch? Trunk; }} [Message(6)] public class Branch {{ public List<Branch>? Branches; public Leaf? Leaf; }} [Message(7)] public class Leaf {{ public {size} Size; }}|new()";
}
