using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Members and constructors of partial types that are not public, and constructors that an attribute chooses.</summary>
public sealed class HiddenMemberTests
{
    [Fact]
    public void Setters_and_members_that_are_not_public_are_sent_by_a_partial_class() => Expect(
        "1 n 3 True / 5 none  False / o;Hp i4;_name s;Items [i4];B b",
        """$"{Trip(new M().Set(1, "n"))} / {Read(MessageContract.GetDeclared<M>())} / {MessageContract.GetDeclared<M>().Shape!.Layout}" """,
        """
        [Message(1)] public partial class M
        {
            public int Hp { get; private set; } = 5;
            [MessageInclude] private string _name = "none";
            [MessageInclude] internal List<int> Items { get; private set; } = [];
            public bool B { get; protected set; }
            private int _unsent = 9;
            public M Set(int hp, string name) { (Hp, _name, B, _unsent) = (hp, name, true, 1); Items.Add(3); return this; }
            public override string ToString() => $"{Hp} {_name} {string.Join(',', Items)} {B}";
        }
        """);

    [Fact]
    public void Types_inside_of_partial_types_and_structs_are_sent() => Expect(
        "3 s3 / 9 2 / 3 2 4 2",
        """$"{Trip(new Space.@event.Outer.In.P(3))} / {Trip(new Blit(9))} / {Trip(new H(new(3), [new(4)])).X} {Trip(new H(new(3), [new(4)])).Y[0]}" """,
        """
        namespace Space.@event { public static partial class Outer { public partial record struct In { [Message(2)] public partial struct P { [MessageInclude] private int _a; [MessageInclude] private string? S { get; set; } public P(int a) { _a = a; S = "s" + a; } public override string ToString() => $"{_a} {S}"; } } } }
        [Message(7)] public partial struct Blit { [MessageInclude] private int _a; public int B; public Blit(int a) { _a = a; B = 2; } public override string ToString() => $"{_a} {B}"; }
        [Message(8)] public record H(Blit X, Blit[] Y);
        """);

    [Fact]
    public void Hidden_constructor_and_initializers_create_the_instance() => Expect(
        "4 x False / 0 b True / 1 7 / R { A = 1 } 2",
        """$"{Trip(C.Of(4))} / {Read(MessageContract.GetDeclared<C>())} / {Trip(Q.Of()).Seen} / {Trip(new R(1, 2))} {Trip(new R(1, 2)).Sum}" """,
        """
        [Message(3)] public partial class C { public int A { get; } public string B { get; private init; } = "b"; public Guid Id { get; private init; } = Guid.NewGuid(); private C(int a) => A = a; public static C Of(int a) => new(a) { B = "x", Id = Guid.Empty }; public override string ToString() => $"{A} {B} {Id != Guid.Empty}"; }
        [Message(4)] public partial class Q { public List<int> Items { get; private set; } = []; [MessageInclude] private int _n = 4; private Q() { } public static Q Of() => new() { _n = 7, Items = [1] }; [MessageIgnore] public string Seen => $"{Items.Count} {_n}"; }
        [Message(6, VersionTolerant = true)] public partial record R { [MessageField(1)] public int A { get; private set; } [MessageField(2), MessageInclude] private long B { get; set; } public R(int a, long b) { A = a; B = b; } private R() { } internal long Sum => B; }
        """);

    [Fact]
    public void Hidden_members_of_a_pooled_message_are_reset() => Expect(
        "1 7/0 4/",
        """$"{Value}" """,
        """
        [Message(4, Pooled = true)] public partial class Q { public List<int> Items { get; private set; } = []; [MessageInclude] private int _n = 4; private Q() { } public static Q Of() => new() { _n = 7, Items = [1] }; [MessageIgnore] public string Seen => $"{Items.Count} {_n}"; }
        """,
        """
        private static readonly string Value = Seen();
        private static string Seen()
        {
            var dispatcher = new MessageDispatcher<string>();
            _ = dispatcher.Register<Q>(static (in Q message, ref string state) => state += message.Seen + "/");
            using var packed = new MessageWriter().Pack(Q.Of());
            var seen = "";
            _ = dispatcher.Dispatch(packed.Span, ref seen);
            _ = dispatcher.Dispatch([4], ref seen);
            return seen;
        }
        """);

    [Fact]
    public void Constructor_with_the_attribute_is_called() => Expect(
        "1 102 / 5 -1",
        """$"{Trip(new K(1, 2)).A} {Trip(new K(1, 2)).B} / {Trip(new N(5)).A} {Trip(new N(5)).B}" """,
        """
        [Message(5)] public class K { public int A { get; set; } public int B { get; set; } public K() { } public K(int a, int b) { A = a; B = b; } [MessageConstructor] public K(int b) => B = b + 100; }
        [Message(6)] public partial class N { public int A { get; } public int B { get; } = -1; public N(int a) => A = a; [MessageConstructor] private N(int a, int b) { A = a; B = b; } public N(int a, int b, int c) : this(a, b + c) { } }
        """);

    private static void Expect(string expected, string result, string messages, string value = "") =>
        Assert.Equal(expected, GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(Sources.Running(result, messages).Replace("private static T Trip", value + " private static T Trip", StringComparison.Ordinal)))));
}
