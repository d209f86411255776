using System.Globalization;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class GenericMessageRuleTests
{
    private const string Page = " [Message] public record Mod(string Name); [Message] public record Page<T>(List<T> Items);";

    [Theory]
    [InlineData("[assembly: [|GenericMessage(typeof(Mod), 12)|]]", "it is not generic; mark the type itself [Message]")]
    [InlineData("[assembly: [|GenericMessage(typeof(int[]))|]]", "it is not generic; mark the type itself [Message]")]
    [InlineData("[assembly: [|GenericMessage(typeof(Page<>), 12)|]]", "it has no type arguments; declare each closed type")]
    [InlineData("[assembly: [|GenericMessage(typeof(List<Mod>), 12)|]]", "mark the generic type [Message]")]
    [InlineData("[assembly: [|GenericMessage(null!)|]]", "it names no type")]
    [InlineData("[assembly: GenericMessage(typeof(Page<Mod>), 12), [|GenericMessage(typeof(Page<Mod>), 13)|]]", "the assembly Checked declares it already")]
    [InlineData("[assembly: [|GenericMessage(typeof(Page<Mod>), -2)|]]", "The id of 'Page' is -2; an id must be in the range 0 to 4294967295. Ids up to 126 take one byte")]
    [InlineData("[assembly: [|GenericMessage(typeof(Page<object>))|]]", "'Items' has the type System.Collections.Generic.List<object>: its part object cannot be sent: the type has no fixed form on the wire")]
    [InlineData("[assembly: [|GenericMessage(typeof(Page<Page<Guid[,,,,]>>))|]]", "'Items' has the type System.Collections.Generic.List<System.Guid[*,*,*,*,*]>")]
    public async Task Declaration_that_is_not_valid_is_reported(string code, string reason) =>
        Assert.Contains(reason, Assert.Single(await Contract.Expect("RM1019", code + Page)).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);

    [Fact]
    public Task Valid_declarations_are_accepted() => Contract.Accept("[assembly: GenericMessage(typeof(Page<Mod>), 12), GenericMessage(typeof(Page<string?>))]" + Page);

    [Fact]
    public Task Reserved_id_is_reported() => Contract.Expect("RM1014", "[assembly: [|GenericMessage(typeof(Page<Mod>), 4294901760)|]]" + Page);

    [Theory]
    [InlineData("[assembly: GenericMessage(typeof(Page<Mod>), 12)] [Message(12)] public record [|M|](Page<Mod> A);")]
    [InlineData("[assembly: GenericMessage(typeof(Page<Mod>), 2)] [Message(2)] public record [|M|](int A);")]
    public Task Id_of_a_closed_type_and_of_another_message_is_reported(string code) => Contract.Expect("RM1001", code.Replace("M|]", "Z|]", StringComparison.Ordinal) + " [Message] public record Mod(string Name); [Message] public record Page<T>(List<T> Items);");

    [Theory]
    [InlineData("[Message(3)] public record [|Page|]<T>(List<T> Items);")]
    [InlineData("public class Outer<T> { [Message(0)] public class [|M|] { } }")]
    [InlineData("public class Outer<T> { [Message] private record [|M|](int A); }")]
    [InlineData("[Message] public class [|Page|]<T> : List<T> { }")]
    public Task Generic_type_that_cannot_be_a_message_is_reported(string code) => Contract.Expect("RM1004", code);

    [Theory]
    [InlineData("RM1003", "[Message] public class M<T> { public T? A; public List<object>? [|B|]; }")]
    [InlineData("RM1005", "[Message] public class M<T> { public T? [|A|] { get; } }")]
    [InlineData("RM1005", "public class Outer<T> { [Message] public class M { public int [|A|] { get; } public List<T?>? B; } }")]
    [InlineData("RM1007", "[Message(VersionTolerant = true)] public class M<T> { [MessageField(1)] public T? A; public int [|B|]; }")]
    public Task Members_that_do_not_depend_on_type_arguments_are_checked_at_their_declaration(string id, string code) => Contract.Expect(id, code);

    [Fact]
    public Task Other_members_are_not_checked_before_the_use_of_a_closed_type() => Contract.Accept("[Message] public record Page<T>(List<T> Items, Dictionary<string, T[]> Map); public class Outer<T> { [Message] public class M { public T? A; } } [Message, MessageUnion(0, typeof(Page2<>))] public interface IPage<T> { } [Message] public record Page2<T>(T A) : IPage<T>;");

    [Theory]
    [InlineData("public record M(Page<object> [|A|]);", "'Items' has the type System.Collections.Generic.List<object>: its part object cannot be sent: the type has no fixed form on the wire")]
    [InlineData("public record M(Dictionary<string, Page<Page<object>>> [|A|]);", "Page<object> cannot be a message")]
    [InlineData("public class M { public Node<int>? [|A|]; }", "its type arguments nest more than 8 types")]
    [InlineData("public class M { public Tree<int>? [|A|]; }", "its type arguments nest more than 8 types")]
    [InlineData("public class M { public Box<int>? [|A|]; }", "mark it [Message] if it is yours")]
    [InlineData("public class M { public Slot<string> [|A|]; }", "mark it [Message] to send it field by field")]
    [InlineData("public class M { public System.Numerics.Vector<int> [|A|]; }", "the supported generic types are")]
    public async Task Closed_type_that_cannot_be_sent_is_reported_where_it_is_used(string type, string reason)
    {
        const string Others = " public class Box<T> { } public struct Slot<T> { public T A; } [Message] public class Node<T> { public Node<Node<T>>? Next; } [Message] public class Tree<T> { [Secret] public T? Value; public List<Tree<(T, T[])>>? Left; public Tree<T?[]>? Right; }";
        Assert.Contains(reason, Assert.Single(await Contract.Expect("RM1003", "[Message(1)] " + type + Page + Others)).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Closed_type_of_a_union_that_cannot_be_sent_is_reported()
    {
        var found = await Contract.Expect("RM1006", "[Message, MessageUnion(0, typeof(Page<object>))] public interface [|I|] { } [Message] public record Page<T>(List<T> Items) : I;");
        Assert.Contains("'Items' has the type System.Collections.Generic.List<object>", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Undeclared_closed_type_that_is_sent_by_itself_is_reported()
    {
        var found = await AnalyzerRunner.Expect(new MissingContractAnalyzer(), "RM2005", """
            using System.Collections.Generic;
            using Reloaded.Messaging;
            [assembly: GenericMessage(typeof(Page<string>))]
            [Message(1)] public record M(Page<int> A);
            [Message] public record Page<T>(List<T> Items);
            public static class Program
            {
                public static void Run(MessageWriter writer)
                {
                    _ = [|writer.Pack(new Page<int>([]))|];
                    _ = writer.Pack(new Page<string>([]));
                }
            }
            namespace Reloaded.Messaging.Generated { public static class Page_2System_Int32_4Serializer { public static readonly MessageContract<Page<int>>? Contract = null; public static object? Use() => Contract; } }
            """);
        Assert.Contains("declare it by [assembly: GenericMessage(typeof(Page<int>))]", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public Task Reply_of_a_service_is_declared() => Contract.Expect("RM1016", "[Reloaded.Messaging.Hosting.MessageService] public interface IPages { System.Threading.Tasks.Task<Page<Mod>> [|GetAsync|](Page<int> after); }" + Page);
}
