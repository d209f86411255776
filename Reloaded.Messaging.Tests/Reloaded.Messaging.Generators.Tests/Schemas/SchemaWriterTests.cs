using System.Linq;
using System.Text.Json;
using Xunit;

namespace Reloaded.Messaging.Tests.Schemas;

public sealed class SchemaWriterTests
{
    [Fact]
    public void Schema_has_ids_names_versions_and_kinds_in_the_order_of_ids()
    {
        var contracts = Read("""
            namespace Game;
            [Message(9, Version = 3)] public record Last(int A);
            [Message(2, VersionTolerant = true)] public record Loose([property: MessageField(7)] string B);
            [Message(1)] public record struct First(float X);
            """);

        Assert.Equal(
            ["1 Game.First message True 1", "2 Game.Loose tolerant False 1", "9 Game.Last message False 3"],
            contracts.EnumerateArray().Select(static one => $"{one.GetProperty("id")} {one.GetProperty("name")} {one.GetProperty("kind")} {one.GetProperty("struct")} {one.GetProperty("version")}"));
    }

    [Fact]
    public void Service_has_a_contract_for_each_request_reply_and_event()
    {
        var contracts = Read("""
            namespace Game;
            [Reloaded.Messaging.Hosting.MessageService]
            public interface IMods
            {
                System.Threading.Tasks.Task<int> CountAsync(bool loadedOnly = true, System.Threading.CancellationToken token = default);
                [Reloaded.Messaging.Hosting.MessageId(3)] System.Threading.Tasks.Task<Mod> FindAsync(string id);
                event Action<Mod> Loaded;
            }
            [Message(1)] public record Mod(string Id);
            """);

        Assert.Equal(
            ["Game.IMods.CountAsync(loadedOnly:b)", "Game.IMods.CountAsync.Reply(Result:i4)", "Game.IMods.FindAsync(id:s)", "Game.IMods.Loaded(value:m1)", "Game.Mod(Id:s)"],
            contracts.EnumerateArray()
                .Select(static one => $"{one.GetProperty("name")}({string.Join(", ", one.GetProperty("fields").EnumerateArray().Select(static field => $"{field.GetProperty("name")}:{field.GetProperty("type")}"))})")
                .Order(StringComparer.Ordinal));
        Assert.Equal("true", contracts.EnumerateArray().Single(static one => one.GetProperty("name").GetString() == "Game.IMods.CountAsync").GetProperty("fields")[0].GetProperty("default").GetRawText());
    }

    [Theory]
    [InlineData("string", "s")]
    [InlineData("string?", "s?")]
    [InlineData("int?", "?i4")]
    [InlineData("List<string?>?", "[s?]?")]
    [InlineData("string[]", "[s]")]
    [InlineData("Dictionary<string, List<int?>>?", "{s:[?i4]}?")]
    [InlineData("Vector3", "(f4f4f4)")]
    [InlineData("(string?, int?, List<string>)", "(s?:?i4:[s])")]
    [InlineData("(Vector3, bool)", "((f4f4f4):b)")]
    [InlineData("HashSet<string?>?", "[s?]?")]
    [InlineData("IReadOnlyList<Uri>", "[s]")]
    [InlineData("Queue<Uri?>?", "[s?]?")]
    [InlineData("ISet<int>", "[i4]")]
    [InlineData("KeyValuePair<string?, int>?", "?(s?:i4)")]
    [InlineData("ValueTuple<string?>", "s?")]
    [InlineData("System.Drawing.Point", "(i4:i4)")]
    [InlineData("System.Collections.BitArray?", "[b]?")]
    [InlineData("System.Net.IPAddress", "[u1]")]
    [InlineData("System.Net.IPEndPoint?", "?([u1]:u2)")]
    [InlineData("Tuple<int, string?>", "?(i4:s?)")]
    [InlineData("Tuple<int>?", "?i4")]
    [InlineData("string?[,]", "?(i4:i4:[s?])")]
    [InlineData("List<int[,,]?>?", "[?(i4:i4:i4:[i4])]?")]
    [InlineData("PriorityQueue<string, int>?", "[(s:i4)]?")]
    [InlineData("System.Text.StringBuilder?", "s?")]
    [InlineData("IReadOnlyDictionary<int, IList<string?>?>", "{i4:[s?]?}")]
    [InlineData("System.Collections.Immutable.ImmutableArray<int>", "[i4]")]
    [InlineData("ReadOnlyMemory<byte>?", "?[u1]")]
    [InlineData("Version?", "s?")]
    [InlineData("Other?", "m5?")]
    [InlineData("Other", "m5")]
    [InlineData("DayOfWeek", "i4")]
    public void Field_has_its_code_with_the_references_that_may_be_null(string type, string expected)
    {
        var field = Field($"[Message(1)] public record One({type} Value); [Message(5)] public record Other;");

        Assert.Equal(expected, field.GetProperty("type").GetString());
        Assert.Equal(expected.Replace("s?", "s").Replace("]?", "]").Replace("}?", "}").Replace("m5?", "m5"), field.GetProperty("code").GetString());
    }

    [Theory]
    [InlineData("public record One(int Value = 5)", "5")]
    [InlineData("public record One(string Value = \"a\\\"ß\")", "\"a\\\"ß\"")]
    [InlineData("public record One(long Value = 5)", "\"5\"")]
    [InlineData("public record One(char Value = 'a')", "97")]
    [InlineData("public record One(bool Value = true)", "true")]
    [InlineData("public record One(DayOfWeek Value = DayOfWeek.Friday)", "5")]
    [InlineData("public record One(double? Value = 1.5)", "1.5")]
    [InlineData("public class One { public string Value { get; set; } = \"red\"; }", "\"red\"")]
    [InlineData("public class One { public ulong Value = 7; }", "\"7\"")]
    [InlineData("public class One { public int Value { get; set; } = Environment.ProcessorCount; }", null)]
    [InlineData("public class One { public DayOfWeek Value = DayOfWeek.Friday; }", "5")]
    [InlineData("public class One { public DayOfWeek? Value = (DayOfWeek)(-1); }", "-1")]
    [InlineData("public class One { public int Value = -5; }", "-5")]
    [InlineData("public class One { public int Value = 1 << 4; }", "16")]
    [InlineData("public class One { public int Value = Seven; const int Seven = 7; }", "7")]
    [InlineData("public class One { public int Value = 'a'; }", "97")]
    [InlineData("public class One { public string Value = K.Text + \"s\"; } static class K { public const string Text = \"red\"; }", "\"reds\"")]
    [InlineData("public class One { public string Value = string.Empty; }", "\"\"")]
    [InlineData("public class One { public string? Value = null; }", null)]
    [InlineData("public class One { public long Value = int.MinValue; }", "\"-2147483648\"")]
    [InlineData("public class One { public ulong Value = ulong.MaxValue; }", "\"18446744073709551615\"")]
    [InlineData("public class One { public float Value = float.NaN; }", "\"NaN\"")]
    [InlineData("public class One { public double Value { get; init; } = double.NegativeInfinity; }", "\"-Infinity\"")]
    [InlineData("public class One { public required int Value = 5; }", "5")]
    [InlineData("public record One { public int Value { get; init; } = 5; }", "5")]
    [InlineData("public class One { private int _value = 5; public int Value { get => _value; set => _value = value; } }", "5")]
    [InlineData("public class One : Base { } public abstract class Base { public int Value = 5; }", "5")]
    [InlineData("public class One { public double Value { get; set; } = double.NegativeInfinity; }", "\"-Infinity\"")]
    [InlineData("public class One { public double Value = 0.1f; }", "0.10000000149011612")]
    [InlineData("public class One { public decimal Value = 1.50m; }", "\"1.50\"")]
    [InlineData("public class One { public decimal? Value = 7; }", "\"7\"")]
    [InlineData("public record One(float Value = float.NaN)", "\"NaN\"")]
    [InlineData("public record One(ulong Value = ulong.MaxValue)", "\"18446744073709551615\"")]
    [InlineData("public record One(int Value)", null)]
    [InlineData("public record struct One(int Value = 5)", "5")]
    [InlineData("public readonly record struct One(int Value = 5)", "5")]
    [InlineData("public struct One { public int Value = 5; public One() { } }", "5")]
    [InlineData("public struct One { public int Value = 5; public One(string text) { } }", null)] // the constructor of the compiler runs no initializers
    public void Field_has_its_default_where_that_is_a_constant(string type, string? expected)
    {
        var field = Field($"[Message(1)] {type}{(type.EndsWith('}') ? "" : ";")}");

        Assert.Equal(expected, field.TryGetProperty("default", out var value) ? value.GetRawText() : null);
    }

    [Theory]
    [InlineData("public class One { public Guid Value = Guid.NewGuid(); }")]
    [InlineData("public class One { public int Value { get; set; } = Environment.ProcessId; }")]
    [InlineData("public class One { public List<int>? Value = []; }")] // null in other languages
    [InlineData("public class One { public List<int> Value = [1]; }")]
    [InlineData("public class One { public List<int> Value = new() { 1 }; }")]
    [InlineData("public class One { public List<int> Value = new(Other); private static readonly int[] Other = [1]; }")]
    [InlineData("public class One { public int[] Value = new int[3]; }")]
    [InlineData("public class One { public int Value; public One() => Value = 5; }")]
    [InlineData("public class One : Base { public One() { Value = 5; } } public abstract class Base { public int Value; }")]
    [InlineData("public class One : Base { } public abstract class Base { public int Value; protected Base() { this.Value = 5; } }")]
    [InlineData("public class One { public int Value; public One() => Value++; }")]
    [InlineData("public class One { public int Value; public One() { (Value, _) = (5, 3); } }")]
    [InlineData("public class One { public int Value; public One() => Reset(); private void Reset() => Value = 5; }")]
    [InlineData("public class One { public int Value; public One() => Setup.Of(this); } public static class Setup { public static void Of(One one) => one.Value = 5; }")]
    [InlineData("public class One { public int Value; public One() : this(5) { } public One(int start) => Value = start; }")]
    [InlineData("public class One { public List<int> Value = []; public One() => Value.Add(1); }")]
    [InlineData("public class One { public int Value { get => _value; set => _value = value; } private int _value; public One() => _value = 5; }")]
    [InlineData("public class One { public string? Value { get => _value ??= _other?.ToString(); set => _value = value; } private string? _value; private object? _other = 5; }")]
    [InlineData("public class One { public int Value { get => _value + 1; set => _value = value - 1; } private int _value; }")]
    [InlineData("public class One : Base { } public abstract class Base { public int Value; protected Base(int start = 5) => Value = start; }")]
    [InlineData("public record One(int Other) : Base(5); public record Base(int Value);")]
    [InlineData("public record One { public int Value { get; init; } public One() { Value = 5; } }")]
    [InlineData("public struct One { public int Value; public One() => Value = 5; }")]
    [InlineData("public class One { public Money Value = 5; } public struct Money { public int Cents; public static implicit operator Money(int cents) => new() { Cents = cents }; }")]
    [InlineData("public class One { [MessageConverter(typeof(C))] public int Value; } public static class C { public static string ToSurrogate(int value) => \"\"; public static bool TryFromSurrogate(string surrogate, out int value) { value = 0; return true; } }")]
    [InlineData("public class One { [MessageConverter(typeof(C))] public (bool, KeyValuePair<string, int>) Value; } public static class C { public static string ToSurrogate(int value) => \"\"; public static bool TryFromSurrogate(string surrogate, out int value) { value = 0; return true; } }")]
    [InlineData("public class One { public int[,] Value = new int[0, 0]; }")]
    [InlineData("public class One { public Tuple<int, string> Value = null!; }")]
    [InlineData("public class One { public System.Net.IPAddress Value = null!; }")]
    [InlineData("public class One { public KeyValuePair<int, System.Net.IPEndPoint> Value; }")]
    public void Field_whose_default_is_computed_says_so(string type)
    {
        var field = Field($"[Message(1)] {type}");

        Assert.True(field.GetProperty("computed").GetBoolean());
        Assert.False(field.TryGetProperty("default", out _));
    }

    [Theory]
    [InlineData("public class One { public int Value; public One() { } }")]
    [InlineData("public class One { public int Value; public int Other; public One() => Other = 5; }")]
    [InlineData("public class One { public int Value; public One() => Console.WriteLine(); }")]
    [InlineData("public class One { public int Value { get => _value; set => _value = value; } private int _value; public One() { } }")]
    [InlineData("public class One { public string? Value { get => _value ??= _other?.ToString(); set => _value = value; } private string? _value; private object? _other; }")]
    [InlineData("public class One { public string Value { get; set; } = \"\"; }")]
    [InlineData("public class One { public string? Value { get; set; } = null; }")]
    [InlineData("public class One { public Guid Value = default; }")]
    [InlineData("public class One { public Guid Value = Guid.Empty; }")]
    [InlineData("public class One { public TimeSpan Value = TimeSpan.Zero; }")]
    [InlineData("public class One { public Vector3 Value = new(); }")]
    [InlineData("public class One { public List<int> Value { get; set; } = []; }")]
    [InlineData("public class One { public List<int> Value = new(16); }")]
    [InlineData("public class One { public Dictionary<string, int> Value = new(StringComparer.Ordinal); }")]
    [InlineData("public class One { public int[] Value = Array.Empty<int>(); }")]
    [InlineData("public class One { public int[] Value = new int[0]; }")]
    [InlineData("public record One(int Value = 5);")]
    [InlineData("public class One { [MessageConverter(typeof(C))] public int? Value; } public static class C { public static string ToSurrogate(int value) => \"\"; public static bool TryFromSurrogate(string surrogate, out int value) { value = 0; return true; } }")]
    [InlineData("public class One { [MessageConverter(typeof(C))] public List<int> Value = []; } public static class C { public static string ToSurrogate(int value) => \"\"; public static bool TryFromSurrogate(string surrogate, out int value) { value = 0; return true; } }")]
    [InlineData("public class One { public System.Net.IPAddress? Value; }")]
    [InlineData("public class One { public System.Text.StringBuilder Value = null!; }")]
    [InlineData("public class One { public KeyValuePair<int, string> Value; }")]
    public void Field_whose_default_other_languages_know_is_not_computed(string type) =>
        Assert.False(Field($"[Message(1)] {type}").TryGetProperty("computed", out _));

    [Theory]
    [InlineData("int", "int32")]
    [InlineData("string?", "string?")]
    [InlineData("DayOfWeek?", "System.DayOfWeek?")]
    [InlineData("List<string?>?", "list<string?>?")]
    [InlineData("IReadOnlyList<int>", "list<int32>")]
    [InlineData("Queue<int>?", "list<int32>?")]
    [InlineData("IList<int?>", "list<int32?>")]
    [InlineData("ArraySegment<byte>", "memory<uint8>")]
    [InlineData("KeyValuePair<string?, int>?", "(Key string?, Value int32)?")]
    [InlineData("System.Range", "(Start int32, End int32)")]
    [InlineData("System.Drawing.Size[]", "array<(Width int32, Height int32)>")]
    [InlineData("System.Numerics.BigInteger", "list<uint8>")]
    [InlineData("System.Net.IPEndPoint", "(Address list<uint8>, Port uint16)?")]
    [InlineData("Tuple<int, string?>?", "(Item1 int32, Item2 string?)?")]
    [InlineData("byte[,]", "(Length1 int32, Length2 int32, Items array<uint8>)?")]
    [InlineData("PriorityQueue<string, int>?", "list<(Element string, Priority int32)>?")]
    [InlineData("System.Text.StringBuilder?", "string?")]
    [InlineData("OrderedDictionary<string, int>", "dictionary<string, int32>")]
    [InlineData("SortedSet<int>?", "set<int32>?")]
    [InlineData("IDictionary<int, Stack<int>>", "dictionary<int32, list<int32>>")]
    [InlineData("Other[]", "array<Other>")]
    [InlineData("HashSet<Guid>", "set<guid>")]
    [InlineData("System.Collections.Immutable.ImmutableArray<int>", "immutable<int32>")]
    [InlineData("ReadOnlyMemory<byte>", "memory<uint8>")]
    [InlineData("Dictionary<string, Uri?>", "dictionary<string, uri?>")]
    [InlineData("(Version V, Vector3, (char C, decimal)? D)", "(V version, System.Numerics.Vector3, D (C char, decimal)?)")]
    [InlineData("(DateTime, DateTimeOffset, TimeSpan, DateOnly, TimeOnly, Half, UInt128)", "(datetime, datetimeoffset, timespan, date, time, float16, uint128)")]
    public void Field_has_its_type_with_the_kinds_of_lists_and_names(string type, string expected) =>
        Assert.Equal(expected, Field($"[Message(1)] public record One({type} Value); [Message(5)] public record Other;").GetProperty("declared").GetString());

    [Theory]
    [InlineData("int", "Thing", "?i4", "int32?")]
    [InlineData("int", "Thing?", "?i4", "int32?")]
    [InlineData("string", "Thing", "s", "string")]
    [InlineData("string", "Thing?", "s?", "string?")]
    [InlineData("int[]", "List<Thing?>", "[[i4]?]", "list<array<int32>?>")]
    [InlineData("Other", "Thing?", "m5?", "Other?")]
    [InlineData("(int A, DayOfWeek B)", "Place", "(i4:i4)", "(A int32, B System.DayOfWeek)")]
    [InlineData("int", "Place?", "?i4", "int32?")]
    public void Field_with_a_converter_has_the_type_of_its_surrogate(string surrogate, string type, string code, string declared)
    {
        var field = Field($$"""
            [Message(1)] public record One([MessageConverter(typeof(C))] {{type}} Value);
            [Message(5)] public record Other;
            public class Thing;
            public struct Place;
            public static class C
            {
                public static {{surrogate}} ToSurrogate({{type.Replace("List<", "", StringComparison.Ordinal).Trim('>', '?')}} value) => default!;
                public static bool TryFromSurrogate({{surrogate}} surrogate, out {{type.Replace("List<", "", StringComparison.Ordinal).Trim('>', '?')}} value) { value = default!; return true; }
            }
            """);

        Assert.Equal(code, field.GetProperty("type").GetString());
        Assert.Equal(declared, field.GetProperty("declared").GetString());
    }

    [Fact]
    public void Default_of_a_converted_field_is_computed()
    {
        var field = Field("""
            [Message(1)] public record One([MessageConverter(typeof(C))] int Value = 5);
            public static class C { public static string ToSurrogate(int value) => ""; public static bool TryFromSurrogate(string surrogate, out int value) { value = 0; return true; } }
            """);

        Assert.Equal("s", field.GetProperty("type").GetString());
        Assert.False(field.TryGetProperty("default", out _));
        Assert.True(field.GetProperty("computed").GetBoolean());
    }

    [Fact]
    public void Contract_has_its_role_and_its_reply()
    {
        var contracts = Read("""
            [Message(1)] public record Ask(int A) : IRequest<Answer>;
            [Message(2)] public record Answer(List<Item> Items);
            [Message(3)] public record Item;
            [Message(4)] public record Happened(Item Item);
            [Message(5)] public record Stop : IRequest;
            [Reloaded.Messaging.Hosting.MessageService]
            public interface IMods
            {
                [Reloaded.Messaging.Hosting.MessageId(6)] System.Threading.Tasks.Task<Item> FindAsync();
                [Reloaded.Messaging.Hosting.MessageId(7)] event Action<int> Loaded;
                [Reloaded.Messaging.Hosting.MessageId(8)] System.Threading.Tasks.Task StopAsync();
            }
            """);

        Assert.Equal(
            ["1 request 2 ", "2 reply - ", "3 reply - ", "4 event - ", "5 request null ", "6 request 3 IMods", "7 event - IMods", "8 request null IMods"],
            contracts.EnumerateArray().Select(static one =>
                $"{one.GetProperty("id")} {one.GetProperty("role")} {(one.TryGetProperty("reply", out var reply) ? reply.GetRawText() : "-")} {(one.TryGetProperty("service", out var service) ? service.GetString() : "")}"));
    }

    [Fact]
    public void Stream_has_the_id_of_its_items()
    {
        var contracts = Read("[Message(1)] public record Tail : IStreamRequest<Line>; [Message(2)] public record Line(Part P); [Message(3)] public record Part;");

        Assert.Equal(["stream", "item", "part"], contracts.EnumerateArray().Select(static one => one.GetProperty("role").GetString()));
        Assert.Equal(2, contracts[0].GetProperty("item").GetInt32());
        Assert.False(contracts[0].TryGetProperty("reply", out _));
    }

    [Fact]
    public void Method_with_items_and_progress_has_their_ids()
    {
        var contracts = Read("""
            [Message(1)] public record Item; [Message(2)] public record Line; [Message(3)] public record Step;
            [Reloaded.Messaging.Hosting.MessageService]
            public interface IMods
            {
                [Reloaded.Messaging.Hosting.MessageId(4)] System.Collections.Generic.IAsyncEnumerable<Line> RunAsync(System.Collections.Generic.IAsyncEnumerable<Item> items, int number);
                [Reloaded.Messaging.Hosting.MessageId(5)] System.Threading.Tasks.Task<Line> SendAsync(System.Collections.Generic.IAsyncEnumerable<Item> items);
                [Reloaded.Messaging.Hosting.MessageId(6)] System.Threading.Tasks.Task BakeAsync(System.IProgress<Step>? progress = null);
            }
            """);

        Assert.Equal(
            ["1 item - - -", "2 reply - - -", "3 report - - -", "4 stream 2 1 -", "5 request - 1 -", "6 request - - 3"],
            contracts.EnumerateArray().Select(static one => $"{one.GetProperty("id")} {one.GetProperty("role")} {IdOf(one, "item")} {IdOf(one, "sent")} {IdOf(one, "report")}"));
        Assert.Equal("number", Assert.Single(contracts[3].GetProperty("fields").EnumerateArray()).GetProperty("name").GetString());

        static string IdOf(JsonElement contract, string name) => contract.TryGetProperty(name, out var id) ? id.GetRawText() : "-";
    }

    [Fact]
    public void Message_that_is_inside_of_others_alone_is_a_part() => Assert.Equal(
        ["event", "part"],
        Read("[Message(1)] public record M(N[] Items); [Message(2)] public record N;").EnumerateArray().Select(static one => one.GetProperty("role").GetString()));

    [Fact]
    public void Documentation_is_the_summary_in_one_line()
    {
        var one = Read("""
            /// <summary>
            /// A mod of <see cref="System.Version"/> <c>2</c>,
            /// as text.
            /// </summary>
            /// <param name="A">The first.</param>
            [Message(1), Obsolete("Use N.")] public record One(int A, int B)
            {
                /// <summary>The third &amp; last.</summary>
                [Obsolete] public int C { get; set; }
            }
            """)[0];

        Assert.Equal(("A mod of Version 2, as text.", "Use N."), (one.GetProperty("documentation").GetString(), one.GetProperty("obsolete").GetString()));
        Assert.Equal(
            ["The first.|-", "-|-", "The third & last.|"],
            one.GetProperty("fields").EnumerateArray().Select(static field =>
                $"{(field.TryGetProperty("documentation", out var text) ? text.GetString() : "-")}|{(field.TryGetProperty("obsolete", out var obsolete) ? obsolete.GetString() : "-")}"));
    }

    [Fact]
    public void Enums_and_structs_have_their_members()
    {
        var types = JsonDocument.Parse(SchemaRunner.Write("""
            [Message(1)] public record One(List<Side> A, Dictionary<int, Place?> B, Big C);
            /// <summary>A side.</summary>
            [Flags] public enum Side { Friend, /// <summary>Shoots.</summary>
                Enemy = -1 }
            public enum Big : ulong { Most = ulong.MaxValue }
            public record struct Place(float X, Side Side);
            """)).RootElement.GetProperty("types");

        Assert.Equal(["Big enum u8", "Place struct (f4i4)", "Side enum i4"], types.EnumerateArray().Select(static one => $"{one.GetProperty("name")} {one.GetProperty("kind")} {one.GetProperty("code")}"));
        Assert.Equal("\"18446744073709551615\"", types[0].GetProperty("members")[0].GetProperty("value").GetRawText());
        Assert.Equal("(X f4,Side i4<Friend=0,Enemy=-1>)", types[1].GetProperty("layout").GetString());
        Assert.Equal(("A side.", true), (types[2].GetProperty("documentation").GetString(), types[2].GetProperty("flags").GetBoolean()));
        Assert.Equal(
            ["Friend 0 ", "Enemy -1 Shoots."],
            types[2].GetProperty("members").EnumerateArray().Select(static one => $"{one.GetProperty("name")} {one.GetProperty("value")} {(one.TryGetProperty("documentation", out var text) ? text.GetString() : "")}"));
    }

    [Theory]
    [InlineData("BrotliCompressor", "\"brotli\"")]
    [InlineData("Reloaded.Messaging.Compression.LZ4.LZ4Compressor", "\"lz4\"")]
    [InlineData("Reloaded.Messaging.Compression.LZ4.NativeLZ4Compressor", "\"lz4\"")]
    [InlineData("Own", "\"own\"")]
    [InlineData("Derived", "\"own\"")]
    [InlineData("Constant", "\"constant\"")]
    [InlineData("Dynamic", "null")]
    public void Compressor_has_its_name_on_the_wire_and_its_threshold(string type, string name)
    {
        var one = Read($$"""
            [Message(1, Compressor = typeof({{type}}), CompressionThreshold = 99)] public record One;
            public class Own : Base, IMessageCompressor { public string Name => "own"; }
            public class Derived : Own { }
            public class Constant : Own, IMessageCompressor { public const string FormatName = "constant"; string IMessageCompressor.Name => FormatName; }
            public class Dynamic : Base, IMessageCompressor { public string Name => GetType().Name; }
            public class Base
            {
                public int GetMaxCompressedSize(int size) => size;
                public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) { written = 0; return false; }
                public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => false;
            }
            """)[0];

        Assert.Equal((name, 99), (one.GetProperty("compressorName").GetRawText(), one.GetProperty("compressionThreshold").GetInt32()));
    }

    [Fact]
    public void Union_has_the_tags_and_names_of_its_types()
    {
        var union = Read("""
            [Message(1), MessageUnion(7, typeof(B)), MessageUnion(0, typeof(A))] public abstract record Union;
            [Message(2)] public record A : Union;
            [Message(3)] public record B : Union;
            """)[0];

        Assert.Equal("union", union.GetProperty("kind").GetString());
        Assert.Equal(["0 A m2", "7 B m3"], union.GetProperty("fields").EnumerateArray().Select(static one => $"{one.GetProperty("number")} {one.GetProperty("name")} {one.GetProperty("type")}"));
    }

    [Fact]
    public void Compressor_has_its_full_name() => Assert.Equal(
        "Reloaded.Messaging.BrotliCompressor",
        Read("[Message(1, Compressor = typeof(BrotliCompressor))] public record One;")[0].GetProperty("compressor").GetString());

    [Fact]
    public void Schema_does_not_depend_on_the_order_of_files() => Assert.Equal(
        SchemaRunner.Write("[Message(1)] public record A(int X);", "[Message(2)] public record B(A? Y);"),
        SchemaRunner.Write("[Message(2)] public record B(A? Y);", "[Message(1)] public record A(int X);"));

    private static JsonElement Field(string source) => Read(source)[0].GetProperty("fields")[0];

    private static JsonElement Read(string source) => JsonDocument.Parse(SchemaRunner.Write(source)).RootElement.GetProperty("contracts");
}
