using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageFieldNumberTests
{
    [Theory]
    [InlineData("public int [|A|];")]
    [InlineData("[MessageField(1)] public int A; public int [|B|] { get; set; }")]
    [InlineData("[MessageField(1)] public int A; [MessageField(1)] public int [|B|];")]
    [InlineData("[MessageField(-1)] public int [|A|];")]
    [InlineData("[MessageField(1 << 28)] public int [|A|];")]
    [InlineData("[MessageField(1, FormerName = \"a b\")] public int [|A|];")]
    public Task A_number_that_is_missing_taken_or_out_of_range_is_reported(string members) =>
        Contract.Expect("RM1007", $"[Message(VersionTolerant = true)] public class M {{ {members} }}");

    [Fact]
    public Task A_number_that_nothing_sends_is_reported() =>
        Contract.Expect("RM1007", "[Message] public record M([MessageField(1)] int [|A|], int B) { [MessageField(2)] public int [|C|] { get; set; } }");

    [Fact]
    public Task A_number_of_a_base_class_is_reported_at_the_message() =>
        Contract.Expect("RM1007", "public class Base { [MessageField(1)] public int A; public int B; } [Message(VersionTolerant = true)] public class [|M|] : Base { [MessageField(2)] public int C; }");

    [Fact]
    public Task Numbers_in_any_order_are_not() => Contract.Accept("""
        [Message(VersionTolerant = true)]
        public record M([MessageField(268435455)] int A, [property: MessageField(0)] string B) { [MessageField(17)] public int C; [MessageIgnore] public int D; public int E => C; }
        """);
}
