using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageTypeTests
{
    [Theory]
    [InlineData("public class Outer { [Message] private class [|M|] { } }")]
    [InlineData("public class Outer { [Message] protected class [|M|] { } }")]
    [InlineData("public class Outer { private class Inner { [Message] public class [|M|] { } } }")]
    [InlineData("[Message] file class [|M|] { }")]
    [InlineData("[Message] public ref struct [|M|] { public int A; }")]
    [InlineData("[Message] public static class [|M|] { }")]
    [InlineData("[Message] public abstract class [|M|] { public int A; }")]
    [InlineData("[Message] public interface [|M|] { }")]
    [InlineData("[Message] public class [|M|] { public int A; private M() { } }")]
    [InlineData("[Message] public class [|M|] { public int A; public M(string other) { } }")]
    [InlineData("[Message] public class [|M|] { public int A; [MessageIgnore] public required int B; }")]
    [InlineData("[Message] internal class [|M|] { public int A; internal required int B; }")]
    [InlineData("[Message(Version = 0)] public class [|M|] { }")]
    [InlineData("[Message(Version = -2)] public class [|M|] { }")]
    [InlineData("[Message(CompressionThreshold = -1)] public class [|M|] { }")]
    public Task A_type_that_cannot_be_a_message_is_reported(string code) => Contract.Expect("RM1004", code);

    [Theory]
    [InlineData("[Message] internal sealed class M { }")]
    [InlineData("[Message(Version = 1, CompressionThreshold = 0)] public class M { }")]
    [InlineData("public class Outer { [Message] protected internal class M { } }")]
    [InlineData("public class Base<T> { public T? A; } [Message] public class M : Base<int> { }")]
    [InlineData("[Message] public class M { public int A; internal M() { } }")]
    [InlineData("[Message] public class M { public int A; [MessageIgnore] public required int B; [System.Diagnostics.CodeAnalysis.SetsRequiredMembers] public M() { } }")]
    [InlineData("[Message] public record M(int A, string B) { public M(int a) : this(a, \"\") { } }")]
    [InlineData("[Message] public record M(int A) { public string? B { get; set; } }")]
    [InlineData("public class M<T> { public object? A; }")]
    public Task A_type_that_can_is_not(string code) => Contract.Accept(code);

    [Theory]
    [InlineData("public struct [|M|] { public int A; }")]
    [InlineData("public class [|M|] { public int A { get; init; } }")]
    [InlineData("public class [|M|] { public required int A; }")]
    [InlineData("public record [|M|](int A);")]
    [InlineData("public class [|M|] { public int A { get; } public M(int a) => A = a; }")]
    public Task A_message_that_cannot_be_pooled_is_reported(string type) => Contract.Expect("RM1008", "[Message(Pooled = true)] " + type);

    [Fact]
    public Task A_union_cannot_be_pooled() =>
        Contract.Expect("RM1008", "[Message(Pooled = true), MessageUnion(0, typeof(A))] public abstract class [|M|] { } [Message(Pooled = true)] public class A : M { }");

    [Fact]
    public Task A_class_with_setters_can() => Contract.Accept("[Message(Pooled = true)] public record M { public int A { get; set; } public string? B; } [Message(Pooled = false)] public record N(int A);");

    [Theory]
    [InlineData("[Message] public partial class [|M|] { public int A; } public partial class M { public int B; }")]
    [InlineData("[Message] public partial record struct [|M|](int A); public partial record struct M { public int B { get; set; } }")]
    [InlineData("public partial class Base { public int A; } public partial class Base { public int B; } [Message] public class [|M|] : Base { }")]
    public Task Fields_in_several_parts_are_reported(string code) => Contract.Expect("RM1009", code);

    [Theory]
    [InlineData("[Message] public partial class M { public int A; public int B; } public partial class M { public void C() { } public int D => 3; public static int E; private int _f; }")]
    [InlineData("[Message] public partial class M { } public partial class M { public int A; public int B; }")]
    [InlineData("[Message(VersionTolerant = true)] public partial class M { [MessageField(1)] public int A; } public partial class M { [MessageField(2)] public int B; }")]
    [InlineData("[Message] public partial class M { public int A; } public partial class M { [MessageIgnore] public int B; }")]
    [InlineData("[Message] public partial class M { public int A; public partial int B { get; set; } } public partial class M { public partial int B { get => A; set => A = value; } }")]
    [InlineData("public partial class Outer { [Message] public class M { public int A; } } public partial class Outer { [Message] public class N { public int A; } public int B; }")]
    [InlineData("public partial class Base { public int A; } [Message] public partial class M : Base { public int B; } public partial class Base { }")]
    public Task Fields_in_one_part_are_not(string code) => Contract.Accept(code);
}
