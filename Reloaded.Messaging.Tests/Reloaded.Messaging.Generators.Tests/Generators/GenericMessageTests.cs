using System.Globalization;
using System.Linq;
using System.Text.Json;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Closed types of generic messages: as members, and by themselves.</summary>
public sealed class GenericMessageTests
{
    private const string Page = "[Message] public record Mod(string Name); [Message] public record Page<T>(List<T> Items, int Total = 3);";

    [Fact]
    public void Closed_types_are_members_without_an_id() => Expect(
        "Mod { Name = b } 5 x none y 7",
        """$"{Value.P.Items[1]} {Value.P.Total} {Value.R!.Value} {Value.R.Error} {Value.R.More!.Items[0]} {Value.N}" """,
        Page + """
        [Message(1)] public record M(Page<Mod> P, Result<string>? R, int N);
        [Message] public class Result<T> { public T? Value { get; set; } public string Error { get; set; } = "none"; public Page<T>? More { get; set; } }
        """,
        """private static readonly M Value = Trip(new M(new([new("a"), new("b")], 5), new() { Value = "x", More = new(["y"]) }, 7));""");

    [Fact]
    public void Structs_of_numbers_and_structs_that_are_messages_are_members() => Expect(
        "2 2 Duo { A = x, B = 3 } o;P (A i4,B i4);Q [(A f4,B f4)];D @0",
        """$"{Value.P.B} {Value.Q[0].B} {Value.D} {MessageContract.GetDeclared<M>().Shape!.Layout}" """,
        "[Message(1)] public record M(Pair<int> P, Pair<float>[] Q, Duo<string, int> D); public struct Pair<T> { public T A, B; } [Message] public readonly record struct Duo<T, U>(T A, U B);",
        """private static readonly M Value = Trip(new M(new() { A = 1, B = 2 }, [new() { A = 1, B = 2 }], new("x", 3)));""");

    [Fact]
    public void Union_closes_its_cases() => Expect(
        "M { A = Ok { Value = 3 }, B = Failed { Error = no } }",
        """$"{Value}" """,
        """
        [Message(1)] public record M(Result<int> A, Result<string> B);
        [Message, MessageUnion(0, typeof(Ok<>)), MessageUnion(1, typeof(Failed<>))] public abstract record Result<T>;
        [Message] public record Ok<T>(T Value) : Result<T>;
        [Message] public record Failed<T>(string Error) : Result<T>;
        """,
        """private static readonly M Value = Trip(new M(new Ok<int>(3), new Failed<string>("no")));""");

    [Fact]
    public void Types_inside_of_generic_types_are_members() => Expect(
        "Row { A = 3 } On Cell { A = a, B = 4 } 5",
        """$"{Value.A} {Value.S} {Value.C[0]} {Value.N.Next!.Value}" """,
        """
        [Message(1)] public record M(Table<int>.Row A, Table<int>.State S, List<Table<string>.Cell<int>> C, Node<int> N);
        public class Table<T> { [Message] public record Row(T A); public enum State { Off, On } [Message] public record Cell<U>(T A, U B); }
        [Message] public class Node<T> { public T? Value { get; set; } public Node<T>? Next { get; set; } public List<Node<T>?>? More { get; set; } }
        """,
        """private static readonly M Value = Trip(new M(new(3), Table<int>.State.On, [new("a", 4)], new() { Next = new() { Value = 5 } }));""");

    [Fact]
    public void Closed_types_are_surrogates_and_fields_of_structs() => Expect(
        "x 2 3 5 Page`1",
        """$"{Value.A.Text} {Value.B[0].Number} {Value.C.Cell.Value} {Value.D.Items[0].Number} {MessageContract.GetDeclared<M>().Shape!.Nested[0].MessageType.Name}" """,
        """
        [assembly: MessageConverter(typeof(OfLevel))]
        [Message(1)] public record M([MessageConverter(typeof(OfMark))] Mark A, Level[] B, Padded C, Page<Level> D);
        public class Mark { public string Text = ""; }
        public class Level { public int Number; }
        public struct Padded { public bool Flag; public Cell<long> Cell; }
        [Message] public struct Cell<T> { public T Value; }
        public static class OfMark { public static Page<string> ToSurrogate(Mark value) => new([value.Text]); public static bool TryFromSurrogate(Page<string> surrogate, out Mark value) { value = new() { Text = surrogate.Items[0] }; return true; } }
        public static class OfLevel { public static Page<int> ToSurrogate(Level value) => new([value.Number]); public static bool TryFromSurrogate(Page<int> surrogate, out Level value) { value = new() { Number = surrogate.Items[0] }; return true; } }
        """ + Page,
        """private static readonly M Value = Trip(new M(new() { Text = "x" }, [new() { Number = 2 }], new() { Cell = new() { Value = 3 } }, new([new() { Number = 5 }])));""");

    [Fact]
    public void Closed_types_that_are_surrogates_in_services_are_generated() => GeneratorRunner.Compile(Sources.Usings + """
        [assembly: MessageConverter(typeof(OfLevel))]
        [Message] public record Page<T>(List<T> Items);
        public class Level { public int Number; }
        public class Mark { public string Text = ""; }
        public static class OfMark { public static Page<string> ToSurrogate(Mark value) => new([value.Text]); public static bool TryFromSurrogate(Page<string> surrogate, out Mark value) { value = new() { Text = surrogate.Items[0] }; return true; } }
        public static class OfLevel { public static Page<int> ToSurrogate(Level value) => new([value.Number]); public static bool TryFromSurrogate(Page<int> surrogate, out Level value) { value = new() { Number = surrogate.Items[0] }; return true; } }
        [Reloaded.Messaging.Hosting.MessageService] public interface IService
        {
            System.Threading.Tasks.Task<Level> RunAsync([MessageConverter(typeof(OfMark))] Mark mark);
        }
        """);

    [Fact]
    public void Null_is_refused_in_one_closed_type_and_sent_in_another() => Expect(
        "An item in Page<System.String>.Items is null 1",
        """$"{Value} {Trip(new M(new(["a"]), new([null]))).B.Items.Count}" """,
        Page + "[Message(1)] public record M(Page<string> A, Page<string?> B);",
        """
        private static readonly string Value = Refused();
        private static string Refused()
        {
            try
            {
                _ = Trip(new M(new([null!]), new([])));
                return "nothing";
            }
            catch (InvalidOperationException e)
            {
                return e.Message.Split(',')[0];
            }
        }
        """);

    [Fact]
    public void Missing_members_have_the_values_of_initializers_and_constructors() => Expect(
        "7 3 4 0 7 3 []",
        """$"{Value.N} {Value.K} {Value.B} {Value.Items.Count} {Inner.N} {Inner.K} [{Inner.V}]" """,
        """
        [Message(1)] public class M : Base<string> { public int B { get; init; } = 4; }
        public class Base<T> { public T? Value { get; set; } public List<T> Items { get; set; } = []; public int N { get; set; } = 7; public Base() { K = 3; } public int K { get; set; } }
        [Message] public class C<T> { public int N { get; init; } = 7; public C() { K = 3; } public int K { get; init; } public T V { get; init; } = default!; }
        [Message(2)] public record H(C<string> C);
        """,
        "private static readonly M Value = Read(MessageContract.GetDeclared<M>()); private static readonly C<string> Inner = Read(MessageContract.GetDeclared<H>(), 1).C;");

    [Fact]
    public void Declared_closed_type_is_a_message_with_its_id() => Expect(
        "Mod { Name = b } 12 x 172607522 12",
        """$"{Value.Items[0]} {MessageContract.GetDeclared<Page<Mod>>().Type} {Trip(new Page<string>(["x"])).Items[0]} {MessageContract.GetDeclared<Page<string>>().Type} {MessageContract.GetDeclared<M>().Shape!.Nested[0].Type}" """,
        "[assembly: GenericMessage(typeof(Page<Mod>), 12), GenericMessage(typeof(Page<string>))]" + Page + "[Message(1)] public record M(Page<Mod?> A);",
        """private static readonly Page<Mod> Value = Trip(new Page<Mod>([new("b")]));""");

    [Fact]
    public void Two_assemblies_have_their_closed_types_and_share_a_declared_one()
    {
        const string Lower = Sources.Usings + """
            [assembly: GenericMessage(typeof(Page<Item>), 12)]
            [Message] public record Page<T>(List<T> Items, int Total = 3); [Message(4)] public record Item(int A); [Message(5)] public record Holder(Page<Item> P, Page<string> Q);
            """;
        var lower = GeneratorRunner.Emit(GeneratorRunner.Compile(Lower, name: "Lower"));
        var code = Sources.Running(
            """$"{Value.P.Items[0]} {Value.Q.Items[0]} {Value.H.P.Items[0]} {Value.R.Items.Count} {Trip(new Page<Own>([])).Total} {string.Join(",", MessageContract.GetDeclared<M>().Shape!.Nested.ToArray().Select(one => one.Type))}" """,
            """
            [assembly: GenericMessage(typeof(Page<Own>), 13)]
            [Message(1)] public record M(Page<Item> P, Page<Own> Q, Holder H, Page<Item?> R);
            [Message(6)] public record Own(string S);
            """).Replace("private static T Trip", """private static readonly M Value = Trip(new M(new([new(1)]), new([new("x")]), new(new([new(2)]), new([])), new([null]))); private static T Trip""", StringComparison.Ordinal);
        var compilation = GeneratorRunner.Compile(code, name: "Higher", references: MetadataReference.CreateFromImage(lower));

        Assert.Equal("Item { A = 1 } x Item { A = 2 } 1 3 12,13,5,12", GeneratorRunner.Run(lower, GeneratorRunner.Emit(compilation)).Replace("Own { S = x }", "x", StringComparison.Ordinal));
        Assert.Null(compilation.Assembly.GetTypeByMetadataName("Reloaded.Messaging.Generated.Page_2Item_4Serializer"));
        Assert.Equal(Accessibility.Internal, compilation.Assembly.GetTypeByMetadataName("Reloaded.Messaging.Generated.Page_2Item_6_4Serializer")!.DeclaredAccessibility);
        Assert.Equal(Accessibility.Public, compilation.Assembly.GetTypeByMetadataName("Reloaded.Messaging.Generated.Page_2Own_4Serializer")!.DeclaredAccessibility);
    }

    [Theory]
    [InlineData("Page<Item>", "neither the generic type nor a type argument is of this assembly")]
    [InlineData("Page<string>", "neither the generic type nor a type argument is of this assembly")]
    [InlineData("Page<Own>", null)]
    [InlineData("Page<Page<Own[]>>", null)]
    public async Task Closed_type_is_declared_where_one_of_its_types_is(string type, string? reason)
    {
        var lower = GeneratorRunner.Emit(GeneratorRunner.Compile(Sources.Usings + "[Message] public record Page<T>(List<T> Items); [Message(4)] public record Item(int A);", name: "Lower"));
        var higher = GeneratorRunner.Create(Sources.Usings + $"[assembly: GenericMessage(typeof({type}))] [Message] public record Own(int A);", name: "Higher", references: MetadataReference.CreateFromImage(lower));
        var found = await higher.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);

        Assert.Equal(reason is null ? 0 : 1, found.Length);
        Assert.All(found, diagnostic => Assert.Contains(reason!, diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal));
    }

    [Fact]
    public void Schema_names_closed_types_without_brackets()
    {
        var schema = GeneratorRunner.WriteSchema(GeneratorRunner.Create(Sources.Usings + """
            namespace Game;
            [Message(1)] public record M(Page<Mod> A, Page<(int, string?)> B, Pair<int> C, Table<byte[]>.State D, List<Page<int?>?> E);
            [Message(2)] public record Mod(string Name);
            [Message] public record Page<T>(List<T> Items);
            public struct Pair<T> { public T A, B; }
            public class Table<T> { public enum State { On } }
            """));
        var root = JsonDocument.Parse(schema).RootElement;

        Assert.Equal(
            "Game.M, Game.Mod, Game.Page_Of_Game_Mod, Game.Page_Of_Tuple_Of_int_And_string, Game.Page_Of_int_Or_Null",
            string.Join(", ", root.GetProperty("contracts").EnumerateArray().Select(static one => one.GetProperty("name").GetString()).Order(StringComparer.Ordinal)));
        Assert.Equal(
            "Game.Page_Of_Game_Mod; Game.Page_Of_Tuple_Of_int_And_string; Game.Pair_Of_int; Game.Table_Of_byte_Array.State; list<Game.Page_Of_int_Or_Null?>",
            string.Join("; ", root.GetProperty("contracts")[0].GetProperty("fields").EnumerateArray().Select(static one => one.GetProperty("declared").GetString())));
        Assert.Equal("Game.Pair_Of_int, Game.Table_Of_byte_Array.State", string.Join(", ", root.GetProperty("types").EnumerateArray().Select(static one => one.GetProperty("name").GetString())));
    }

    [Fact]
    public void Other_type_arguments_give_other_shapes() => Expect(
        "False True",
        """$"{Value} {Differs<M, L>()}" """,
        Page + "[Message(1)] public record M(Page<string> A); [Message(2)] public record N(Page<string?> A); [Message(3)] public record L(Page<int> A);",
        "private static readonly bool Value = Differs<M, N>(); private static bool Differs<T, TOther>() => MessageContract.GetDeclared<T>().Shape!.FindDifference(MessageContract.GetDeclared<TOther>().Shape!.Fields) >= 0;");

    private static void Expect(string expected, string result, string messages, string value) =>
        Assert.Equal(expected, GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(Sources.Running(result, messages).Replace("private static T Trip", value + " private static T Trip", StringComparison.Ordinal)))));
}
