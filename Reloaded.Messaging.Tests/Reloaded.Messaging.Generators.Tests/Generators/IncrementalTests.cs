using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>An editor runs the generator at every key: it must not do again what it did before.</summary>
public sealed class IncrementalTests
{
    private const string Messages = Sources.Usings + """
        [Message] public class A { public List<Dictionary<string, B?>>? Items { get; set; } }
        [Message(7, VersionTolerant = true)] public record B([MessageField(1)] int X = 3, [MessageField(2)] C? Shape = null);
        [Message, MessageUnion(0, typeof(D))] public abstract record C;
        [Message] public record D(int[][] X) : C;
        [Message] public struct E { public int X; }
        [Reloaded.Messaging.Hosting.MessageService] public interface IService
        {
            System.Threading.Tasks.Task<int> RunAsync(B b, int number = 3);
            event Action<A> Raised;
        }
        """;

    [Theory]
    [InlineData("public class Other { public int Y; }")]
    [InlineData("public class Other { public B? Y; }")]
    [InlineData("// nothing")]
    public void Nothing_is_made_again_after_an_edit_elsewhere(string edited)
    {
        var other = GeneratorRunner.Parse("public class Other { }");
        var before = GeneratorRunner.Create(Messages).AddSyntaxTrees(other);
        var after = before.ReplaceSyntaxTree(other, GeneratorRunner.Parse(edited));
        var result = RunTwice(before, after);

        Assert.Equal(5, Reasons(result, "Messages").Length);
        Assert.All(Reasons(result, "Messages"), static reason => Assert.True(reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged));
        Assert.All(Reasons(result, "Services"), static reason => Assert.True(reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged));
        Assert.Equal(13, Outputs(result).Length); // five messages, the service and its three messages, the shared methods, the list of all, and the schema and the handler classes, which are empty here
        Assert.All(Outputs(result), static reason => Assert.Equal(IncrementalStepRunReason.Cached, reason));
    }

    [Fact]
    public void A_comment_between_the_messages_changes_none_of_them()
    {
        var before = GeneratorRunner.Create(Messages);
        var after = before.ReplaceSyntaxTree(before.SyntaxTrees.Single(), GeneratorRunner.Parse(Messages.Replace("[Message] public record D", "// D\n[Message] public record D")));

        Assert.All(Outputs(RunTwice(before, after)), static reason => Assert.Equal(IncrementalStepRunReason.Cached, reason));
    }

    [Fact]
    public void A_change_of_one_message_is_made_in_that_and_where_it_is_held()
    {
        var before = GeneratorRunner.Create(Messages);
        var after = before.ReplaceSyntaxTree(before.SyntaxTrees.Single(), GeneratorRunner.Parse(Messages.Replace("[Message(7,", "[Message(8,")));
        var result = RunTwice(before, after);

        // B itself, and A, whose shape knows B by its id; then the service, its request that contains B, the shared methods that read B, and the list of all.
        Assert.Equal(2, Reasons(result, "Messages").Count(static reason => reason == IncrementalStepRunReason.Modified));
        Assert.Equal(6, Outputs(result).Count(static reason => reason == IncrementalStepRunReason.Modified));
    }

    [Fact]
    public void Closed_types_are_not_made_again_after_an_edit_elsewhere()
    {
        const string Closed = Sources.Usings + """
            [assembly: GenericMessage(typeof(Page<string>), 12)]
            [Message] public record Page<T>(List<T> Items);
            [Message(1)] public record A(Page<int> P, Page<string> Q);
            [Message(2)] public record B(Page<int> P);
            """;
        var other = GeneratorRunner.Parse("public class Other { }");
        var before = GeneratorRunner.Create(Closed).AddSyntaxTrees(other);
        var result = RunTwice(before, before.ReplaceSyntaxTree(other, GeneratorRunner.Parse("public class Other { public int Y; }")));

        Assert.Equal(2, Reasons(result, "Closed").Length); // one for each closed type
        Assert.Equal(8, Outputs(result).Length);
        Assert.All(Outputs(result), static reason => Assert.Equal(IncrementalStepRunReason.Cached, reason));
    }

    private static GeneratorRunResult RunTwice(Compilation before, Compilation after) =>
        GeneratorRunner.Driver().RunGenerators(before).RunGenerators(after).GetRunResult().Results.Single();

    private static IncrementalStepRunReason[] Reasons(GeneratorRunResult result, string step) =>
        [.. result.TrackedSteps[step].SelectMany(static run => run.Outputs).Select(static output => output.Reason)];

    private static IncrementalStepRunReason[] Outputs(GeneratorRunResult result) =>
        [.. result.TrackedOutputSteps.SelectMany(static step => step.Value).SelectMany(static run => run.Outputs).Select(static output => output.Reason)];
}
