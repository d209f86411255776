using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>The errors of the compiler at a lambda that is no handler of events.</summary>
public sealed class LambdaErrorTests
{
    private static readonly MetadataReference[] s_hosts = [.. Array.ConvertAll([typeof(MessageHost), typeof(MessageEndpoint)], static type => MetadataReference.CreateFromFile(type.Assembly.Location))];

    [Theory]
    [InlineData("(int number, string text) => { }")]
    [InlineData("(int number, string text) => Task.CompletedTask")]
    [InlineData("async (int number, string text) => await Task.Yield()")]
    public void Sender_of_another_type_is_named_by_the_error(string lambda)
    {
        var program = GeneratorRunner.Create(
            $"using System.Threading.Tasks; using Reloaded.Messaging.Hosting; public class Program {{ void Register(MessageHost host) => host.On({lambda}); }}",
            references: s_hosts);

        var errors = program.GetDiagnostics(TestContext.Current.CancellationToken).Where(static one => one.Severity == DiagnosticSeverity.Error).ToList();

        Assert.Equal(["CS1661", "CS1678"], errors.Select(static error => error.Id).Order());
        Assert.Contains(errors, static error => error.GetMessage(System.Globalization.CultureInfo.InvariantCulture) == "Parameter 2 is declared as type 'string' but should be 'Reloaded.Messaging.Hosting.Peer'");
    }
}
