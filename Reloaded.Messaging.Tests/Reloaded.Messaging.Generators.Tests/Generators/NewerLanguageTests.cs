using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Sources that Roslyn 4.3 cannot compile. The other tests of these classes run in that compiler, too.</summary>
public sealed class NewerLanguageTests
{
    [Fact]
    public void Required_member_is_set_behind_the_constructor() => Assert.Equal(
        "1 two 3",
        GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(Sources.Running(
            """$"{Trip(new M(1) { B = "two", C = 3 })}" """,
            """[Message] public record M(int A) { public string? B { get; init; } public required int C { get; set; } public override string ToString() => $"{A} {B} {C}"; }""")))));

    [Fact]
    public Task Static_abstract_method_of_a_service_is_reported() => Contract.Expect("RM1016", """
        using System.Threading.Tasks;
        using Reloaded.Messaging.Hosting;
        [MessageService] public interface IMods { static abstract Task [|RunAsync|](); }
        """);

    [Fact]
    public Task Message_in_a_collection_expression_is_not_reported() => AnalyzerRunner.Expect(
        new UnreleasedMessageAnalyzer(), "RM2001", Usage.Body("var packed = Pack(1); List<PackedMessage> all = [packed];"));
}
