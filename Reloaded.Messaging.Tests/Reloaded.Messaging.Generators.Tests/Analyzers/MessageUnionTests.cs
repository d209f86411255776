using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageUnionTests
{
    private const string Cases = """
        [Message] public class A : U { }
        [Message] public record struct S(int X);
        [Message] public class Stranger { }
        public class Unmarked : U { }
        public abstract class Abstract : U { }
        public class Open<T> : U { }
        """;

    [Theory]
    [InlineData("MessageUnion(0, typeof(A)), MessageUnion(0, typeof(B))")]
    [InlineData("MessageUnion(0, typeof(A)), MessageUnion(1, typeof(A))")]
    [InlineData("MessageUnion(0, typeof(Stranger))")]
    [InlineData("MessageUnion(0, typeof(Unmarked))")]
    [InlineData("MessageUnion(0, typeof(Abstract))")]
    [InlineData("MessageUnion(0, typeof(Open<>))")]
    [InlineData("MessageUnion(0, typeof(Open<int>))")]
    [InlineData("MessageUnion(0, typeof(int))")]
    [InlineData("MessageUnion(0, typeof(A[]))")]
    [InlineData("MessageUnion(0, null!)")]
    [InlineData("MessageUnion(0, typeof(U))")]
    [InlineData("MessageUnion(-1, typeof(A))")]
    [InlineData("MessageUnion(1 << 28, typeof(A))")]
    public Task A_case_that_is_not_valid_is_reported(string cases) =>
        Contract.Expect("RM1006", $"[Message, {cases}] public abstract class [|U|] {{ }} [Message] public class B : U {{ }} {Cases}");

    [Theory]
    [InlineData("MessageUnion(0, typeof(A)), MessageUnion((1 << 28) - 1, typeof(B))")]
    [InlineData("MessageUnion(7, typeof(B)), MessageUnion(3, typeof(A))")]
    public Task Cases_that_are_valid_are_not(string cases) =>
        Contract.Accept($"[Message, {cases}] public abstract class U {{ public object? NotSent; }} [Message] public class B : U {{ [MessageIgnore] public new int NotSent; }} {Cases.Replace("A : U { }", "A : U { [MessageIgnore] public new int NotSent; }")}");

    [Fact]
    public Task A_struct_is_a_case_of_an_interface() =>
        Contract.Accept("[Message, MessageUnion(0, typeof(S))] public interface U { } [Message] public struct S : U { public int X; }");

    [Fact]
    public Task A_nullable_struct_is_no_case() =>
        Contract.Expect("RM1006", "[Message, MessageUnion(0, typeof(S?))] public interface [|U|] { } [Message] public struct S : U { public int X; }");

    [Fact]
    public Task A_concrete_class_is_no_union() =>
        Contract.Expect("RM1006", "[Message, MessageUnion(0, typeof(A))] public class [|U|] { } [Message] public class A : U { }");

    [Fact]
    public Task Each_case_is_reported_on_its_own() =>
        Contract.Expect("RM1006", "[Message, MessageUnion(-1, typeof(A)), MessageUnion(2, typeof(int))] public interface [|[|U|]|] { } [Message] public class A : U { }");
}
