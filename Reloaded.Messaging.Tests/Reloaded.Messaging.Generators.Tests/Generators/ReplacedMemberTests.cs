using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Members that hide or override members of a base class, in particular of a generic one. The value that C# finds by the name is sent, at the place of the hidden member.</summary>
public sealed class ReplacedMemberTests
{
    [Theory]
    [InlineData("o;A s;X i4", "x 5 0", "new M { A = \"x\", X = 5 }", "{m.A} {m.X} {((B<int>)m).A}", "public class B<T> { public T? A { get; set; } public T? X { get; set; } } [Message(1)] public class M : B<int> { public new string A { get; set; } = \"\"; }")]
    [InlineData("o;A [s]", "x 0", "new M<string> { A = [\"x\"] }", "{m.A[0]} {((B<int>)m).A}", "[assembly: GenericMessage(typeof(M<string>), 1)] public class B<T> { public T? A { get; set; } } [Message] public class M<T> : B<int> { public new List<T> A { get; set; } = []; }")]
    [InlineData("o;A s;C i4", "x 1", "new M(\"x\", 1)", "{m.A} {m.C}", "[Message(2)] public record B<T>(T A); [Message(1)] public record M(string A, int C) : B<string>(A);")]
    [InlineData("o;A s", "x 7", "new M(\"x\")", "{m.A} {((B<int>)m).A}", "public record B<T>(T A); [Message(1)] public record M : B<int> { public new string A { get; init; } public M(string a) : base(7) => A = a; }")]
    [InlineData("o;A s;C i4", "x 2", "new M { A = \"x\", C = 2 }", "{m.A} {m.C}", "public abstract class B<T> { public T A { get; } protected B(T a) => A = a; } [Message(1)] public class M() : B<int>(4) { public new string A { get; set; } = \"\"; public int C; }")]
    [InlineData("o;A i4", "3 0", "new M { A = 3 }", "{m.A} {((B<string>)m).A?.Length ?? 0}", "public class B<T> { public T? A; } public class C<T> : B<string> { public new T? A { get; set; } } [Message(1)] public class M : C<long> { public new int A; }")]
    [InlineData("o;X i4", "3 0", "new M { X = 3 }", "{m.X} {((B<int>)m).A}", "public class B<T> { public T? A { get; set; } public T? X { get; set; } } [Message(1)] public class M : B<int> { public new int A() => 4; }")]
    [InlineData("o;X i4", "3 0", "new M { X = 3 }", "{m.X} {((B<int>)m).A}", "public class B<T> { public T? A { get; set; } public T? X { get; set; } } [Message(1)] public class M : B<int> { public new static int A { get; set; } }")]
    [InlineData("o;X i4", "3 0", "new M { X = 3 }", "{m.X} {((B<int>)m).A}", "public class B<T> { public T? A { get; set; } public T? X { get; set; } } [Message(1)] public class M : B<int> { [MessageIgnore] public new int A { get; set; } }")]
    [InlineData("o;A i4", "3", "new M { A = 3 }", "{m.A}", "public class B<T> { public virtual T? A { get; set; } } [Message(1)] public class M : B<int> { public override int A { get; set; } }")]
    [InlineData("o;A i4;C i4", "3 9 4", "new M { A = 3, C = 4 }", "{m.A} {m.Own()} {m.C}", "public class B<T> { public T? A { get; set; } } [Message(1)] public partial class M : B<int> { private new int A = 9; public int Own() => A; [MessageInclude] internal int C; }")]
    [InlineData("n;1 A s;2 X i4", "x 5", "new M { A = \"x\", X = 5 }", "{m.A} {m.X}", "public class B<T> { [MessageField(1)] public T? A { get; set; } [MessageField(2)] public T? X { get; set; } } [Message(1, VersionTolerant = true)] public class M : B<int> { [MessageField(1)] public new string A { get; set; } = \"\"; }")]
    [InlineData("o;A i4;X i4", "1 2 3", "new M().Set(1, 2)", "{m.A} {m.X} {new B().Set(3).A}", "[Message(2)] public partial class B { public int A { get; private protected set; } public B Set(int a) { A = a; return this; } } [Message(1)] public partial class M : B { public int X { get; private set; } public M Set(int a, int b) { (A, X) = (a, b); return this; } }")]
    [InlineData("o;Key i4;Items [@0]", "1 2", "new M { Key = 1, Items = [new() { Key = 2 }] }", "{m.Key} {m.Items[0].Key}", "public class B<T> { [Message] public class Item { public T? Key { get; set; } } public T? Key { get; set; } } [Message(1)] public class M : B<int> { [Message] public new class Item { public short Key { get; set; } } public List<Item> Items { get; set; } = []; }")]
    [InlineData("o;Key i4;Items [@0]", "1 2", "new M { Key = 1, Items = [new() { Key = 2 }] }", "{m.Key} {m.Items[0].Key}", "public class B<T> { [Message] public class Item { public T? Key { get; set; } } public T? Key { get; set; } public List<Item> Items { get; set; } = []; } [Message(1)] public class M : B<int> { [Message] public new class Item { public short Key { get; set; } } }")]
    public void Member_that_C_sharp_finds_by_its_name_is_sent(string layout, string shown, string value, string show, string messages)
    {
        var type = messages.Contains("class M<T>", StringComparison.Ordinal) ? "M<string>" : "M";
        var members = $"private static {type} Value => {value}; private static string Show({type} m) => $\"{show} / {{MessageContract.GetDeclared<{type}>().Shape!.Layout}}\";";
        var code = Sources.Running("$\"{Show(Trip(Value))}\"", messages).Replace("private static T Trip", $"{members} private static T Trip", StringComparison.Ordinal);
        Assert.Equal($"{shown} / {layout}", GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code))));
    }
}
