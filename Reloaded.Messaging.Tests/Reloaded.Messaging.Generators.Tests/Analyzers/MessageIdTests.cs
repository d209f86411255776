using System.Globalization;
using Reloaded.Messaging.Generators.Model;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageIdTests
{
    [Fact]
    public async Task Two_messages_with_one_id_are_reported_at_the_second_by_name()
    {
        var found = await Contract.Expect("RM1001", """
            namespace B { [Message(3)] public class [|Move|] { } }
            namespace A { [Message(3)] public class Move { } }
            namespace C { [Message(4)] public class Move { } }
            """);

        Assert.Equal("'B.Move' and 'A.Move' have the same id 3. Give one of them another id.", found[0].GetMessage(CultureInfo.InvariantCulture));
    }

    [Fact]
    public Task Each_further_message_with_the_id_is_reported() => Contract.Expect("RM1001", """
        [Message(3)] public class A { }
        [Message(3)] public struct [|B|] { public int X; }
        [Message(3)] internal record [|C|](int X);
        """);

    [Fact]
    public Task A_given_id_that_another_message_derives_is_reported() => Contract.Expect("RM1001", $$"""
        [Message] public class A { }
        [Message({{Fnv.DeriveId("A")}})] public class [|B|] { }
        """);

    [Fact]
    public Task Derived_ids_of_equal_names_in_different_places_differ() => Contract.Accept("""
        namespace A { [Message] public class Move { } public class Outer { [Message] public class Move { } } }
        namespace B { [Message] public class Move { } }
        [Message] public class Move { }
        """);

    [Theory]
    [InlineData("-1")]
    [InlineData("-5")]
    [InlineData("4294967296")]
    [InlineData("long.MaxValue")]
    public Task An_id_out_of_range_is_reported(string id) => Contract.Expect("RM1002", $"[Message({id})] public class [|A|] {{ }}");

    [Theory]
    [InlineData("0")]
    [InlineData("126")]
    [InlineData("0xFFFEFFFF")]
    [InlineData("4294901759")]
    public Task An_id_in_range_is_not(string id) => Contract.Accept($"[Message({id})] public class A {{ }}");
}
