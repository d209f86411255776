using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class RunningTests
{
    [Fact]
    public void Members_named_like_keywords_and_like_generated_variables_arrive() => Expect(
        "7 class 3 4 5 6 8 9 10 True",
        """$"{Value.@int} {Value.@class} {Value.value} {Value.buffer} {Value.reader} {Value.f0} {Value.number} {Value.end} {Value.Memory} {Value.Contract}" """,
        """
        namespace @namespace.@if { [Message] public class @event
        {
            public int @int { get; set; }
            public string @class { get; set; } = "";
            public long value; public List<int>? items; public int? count, item, key; public int[]? i;
            public long buffer, reader, f0, r0, number, end, hasValue, isNull;
            public Dictionary<string, string>? start;
            public double Memory { get; set; }
            public bool Contract { get; set; }
        } }
        """,
        "private static readonly @namespace.@if.@event Value = Trip(new @namespace.@if.@event { @int = 7, @class = \"class\", value = 3, buffer = 4, reader = 5, f0 = 6, number = 8, end = 9, Memory = 10, Contract = true });");

    [Fact]
    public void Parameters_that_differ_by_case_only_get_their_own_values() => Expect(
        "1 2",
        """$"{Value.a} {Value.A}" """,
        "[Message] public record M(int a, int A);",
        "private static readonly M Value = Trip(new M(1, 2));");

    [Fact]
    public void Numbers_in_another_order_than_parameters_do_not_mix_values() => Expect(
        "1 2 3",
        """$"{Value.A} {Value.B} {Value.C}" """,
        "[Message(1, VersionTolerant = true)] public record M([MessageField(3)] int A, [MessageField(1)] int B, [MessageField(2)] int C);",
        "private static readonly M Value = Trip(new M(1, 2, 3));");

    [Fact]
    public void What_no_parameter_takes_is_set_behind_the_constructor() => Expect(
        "1 two 3",
        """$"{Value.A} {Value.B} {Value.C}" """,
        "[Message] public record M(int A) { public string? B { get; init; } public int C { get; set; } }",
        """private static readonly M Value = Trip(new M(1) { B = "two", C = 3 });""");

    [Fact]
    public void A_parameter_whose_member_is_ignored_is_left_empty() => Expect(
        "1  3",
        """$"{Value.A} {Value.B} {Value.C}" """,
        "[Message] public record M(int A, [property: MessageIgnore] string B, int C);",
        """private static readonly M Value = Trip(new M(1, "two", 3));""");

    [Fact]
    public void A_member_that_hides_or_overrides_another_takes_its_place() => Expect(
        "one 2 3",
        """$"{Value.A} {Value.B} {Value.C}" """,
        """
        public class Base { public int A { get; set; } public virtual int B { get; set; } public int C; }
        [Message] public class M : Base { public new string A { get; set; } = ""; public override int B { get; set; } }
        """,
        """private static readonly M Value = Trip(new M { A = "one", B = 2, C = 3 });""");

    [Fact]
    public void An_override_that_is_ignored_does_not_arrive() => Expect(
        "0 2",
        """$"{Value.A} {Value.B}" """,
        """
        public class Base { public virtual int A { get; set; } public int B { get; set; } }
        [Message] public class M : Base { [MessageIgnore] public override int A { get; set; } }
        """,
        "private static readonly M Value = Trip(new M { A = 1, B = 2 });");

    [Fact]
    public void Union_of_structs_and_classes_arrives() => Expect(
        "A { X = 1, Y = 2 } B { Name = b } C { Next = A { X = 3, Y = 4 } } ",
        """$"{string.Concat(Value.All.Select(one => one + " "))}" """,
        """
        [Message(1), MessageUnion(0, typeof(A)), MessageUnion(1, typeof(B)), MessageUnion(9, typeof(C))] public interface I { }
        [Message(2)] public readonly record struct A(int X, int Y) : I;
        [Message(3)] public record struct B(string Name) : I;
        [Message(4)] public sealed record C(I Next) : I;
        [Message(5)] public sealed record M(List<I> All);
        """,
        """private static readonly M Value = Trip(new M([new A(1, 2), new B("b"), new C(new A(3, 4))]));""");

    [Fact]
    public void Members_of_a_closed_generic_base_class_arrive() => Expect(
        "2 a b 7",
        """$"{Value.Total} {string.Join(" ", Value.Items.Select(one => one.Name))} {Value.First.Size}" """,
        """
        public abstract class Page<T> { public int Total { get; set; } public List<T> Items { get; set; } = []; public T First { get; set; } = default!; }
        [Message(1)] public sealed record Mod(string Name, int Size);
        [Message(2)] public sealed class ModPage : Page<Mod> { }
        """,
        """private static readonly ModPage Value = Trip(new ModPage { Total = 2, Items = [new Mod("a", 1), new Mod("b", 2)], First = new Mod("c", 7) });""");

    private static void Expect(string expected, string result, string messages, string value)
    {
        var code = Sources.Running(result, messages).Replace("private static T Trip", value + "\n    private static T Trip");
        Assert.Equal(expected, GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code))));
    }
}
