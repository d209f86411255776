using System.IO;
using System.Linq;
using System.Xml.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The examples in the reference compile as programs, which import the namespaces of the library.</summary>
public sealed class ReferenceExampleTests
{
    private const string Usings = "using Reloaded.Messaging; using Reloaded.Messaging.Games; using Reloaded.Messaging.Hosting;\n";

    [Theory]
    [InlineData("Reloaded.Messaging", "GenericMessageAttribute", "IRequest", "IRequest`1", "IStreamRequest`1", "MessageAttribute", "MessageContract`1", "MessageDispatcher`1", "MessageWriter")]
    [InlineData("Reloaded.Messaging.Transports", "MessageEndpoint")]
    [InlineData("Reloaded.Messaging.Hosting", "MessageClient", "MessageHost", "MessageServer", "Peer")]
    [InlineData("Reloaded.Messaging.Games", "NetworkPath", "TickLoop")]
    public async Task Main_types_have_examples_that_compile(string assembly, params string[] types)
    {
        var examples = XDocument.Load(Path.Combine(AppContext.BaseDirectory, assembly + ".xml")).Descendants("example").Where(static example => example.Parent!.Attribute("name")!.Value.StartsWith("T:", StringComparison.Ordinal)) // a primary constructor repeats the example of its type
            .ToDictionary(static example => example.Parent!.Attribute("name")!.Value.Split('.')[^1], static example => example.Element("code")!.Value);

        Assert.Equal(types, examples.Keys.Order(StringComparer.Ordinal));
        foreach (var (type, code) in examples)
        {
            var (_, found) = await ConsoleProgram.CompileAsync(Usings + code, "Example");
            Assert.True(found.Count == 0, $"{type}: {string.Join("\n", found)}");
        }
    }
}
