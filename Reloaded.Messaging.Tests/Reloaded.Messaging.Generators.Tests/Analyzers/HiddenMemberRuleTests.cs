using System.Globalization;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class HiddenMemberRuleTests
{
    [Theory]
    [InlineData("[Message] public class M { public int [|A|] { get; private set; } }")]
    [InlineData("[Message] public class M { [MessageInclude] private int [|_a|] = 3; public int B => _a; }")]
    [InlineData("[Message] public class M { [MessageInclude] private int [|A|] { get; } public M(int a) => A = a; }")]
    [InlineData("[Message] public partial class M { [MessageInclude] private int [|A|] { get; } }")]
    [InlineData("public partial class Base { [MessageInclude] private int _a = 3; public int B => _a; } [Message] public partial class [|M|] : Base { }")]
    [InlineData("public class Outer { [Message] public partial class M { public int [|A|] { get; private set; } } }")]
    [InlineData("[Message] public class M { public int [|A|] { get; } [MessageConstructor] public M() { } public M(int a) => A = a; }")]
    [InlineData("[Message] public partial class M<T> { public T? [|A|] { get; private set; } }")]
    [InlineData("public class Base { public int A { get; protected set; } } [Message] public partial class [|M|] : Base { private new int A = 3; public int B => A; }")]
    [InlineData("public class Base<T> { public T? A { get; protected set; } } public class Middle : Base<int> { protected new int A() => 3; } [Message] public partial class [|M|] : Middle { }")]
    public Task Member_that_cannot_be_set_is_reported(string code) => Contract.Expect("RM1005", code);

    [Theory]
    [InlineData("[Message] public class [|M|] { public int A { get; } [MessageConstructor] private M(int a) => A = a; public M(int a, int b) => A = a + b; }", "its constructor with [MessageConstructor] is not accessible; make the type partial")]
    [InlineData("[Message] public class [|M|] { public int A { get; } [MessageConstructor] public M(string b) => A = b.Length; public M(int a) => A = a; }", "its constructor with [MessageConstructor] has the parameter 'b', and no member has this name and type")]
    [InlineData("[Message] public class [|M|] { public int A { get; } [MessageConstructor] public M(int a, int more = 3) => A = a + more; }", "has the parameter 'more'")]
    [InlineData("[Message] public class [|M|] { public int A { get; } [MessageConstructor] public M(int a) => A = a; [MessageConstructor] public M() { } }", "two of its constructors are marked [MessageConstructor]")]
    public async Task Constructor_that_cannot_create_the_message_is_reported(string code, string reason) =>
        Assert.Contains(reason, Assert.Single(await Contract.Expect("RM1004", code)).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);

    [Fact]
    public async Task Type_of_a_member_that_is_not_accessible_is_reported()
    {
        var found = await Contract.Expect("RM1003", "[Message] public partial class M { [MessageInclude] private List<E> [|_a|] = []; private enum E { A } public int B => _a.Count; }");
        Assert.Contains("generated code cannot access the type; make it internal or public", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[Message] public partial class M { public int A { get; private set; } [MessageInclude] int B { get; set; } [MessageInclude] protected int C; private int _d; public int D => _d; }")]
    [InlineData("[Message] public partial class M { public int A { get; } private M(int a) => A = a; }")]
    [InlineData("public class Base { public int A { get; protected set; } } [Message] public partial class M : Base { }")]
    public Task Partial_type_is_accepted(string code) => Contract.Accept(code);
}
