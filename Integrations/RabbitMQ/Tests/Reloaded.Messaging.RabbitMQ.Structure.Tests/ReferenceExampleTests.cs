using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.RabbitMQ;

/// <summary>The example in the reference compiles as a program, which imports the namespaces of the library.</summary>
public sealed class ReferenceExampleTests
{
    [Fact]
    public async Task Host_has_an_example_that_compiles()
    {
        var example = XDocument.Load(Path.Combine(AppContext.BaseDirectory, "Reloaded.Messaging.Hosting.RabbitMQ.xml")).Descendants("example").Single();
        Assert.EndsWith(".RabbitHost", example.Parent!.Attribute("name")!.Value, StringComparison.Ordinal);

        var (_, found) = await ConsoleProgram.CompileAsync(
            "using RabbitMQ.Client; using Reloaded.Messaging; using Reloaded.Messaging.Hosting; using Reloaded.Messaging.Hosting.RabbitMQ;\n" + example.Element("code")!.Value,
            "Example",
            MetadataReference.CreateFromFile(typeof(RabbitHost).Assembly.Location),
            MetadataReference.CreateFromFile(typeof(ConnectionFactory).Assembly.Location));

        Assert.True(found.Count == 0, string.Join("\n", found));
    }
}
