using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Schemas;

/// <summary>The schema beside the vectors: that of the messages in docs/vectors/payloads.json.</summary>
public sealed class SchemaVectorTests
{
    [Fact]
    public void Schema_of_the_vectors_is_what_the_generator_writes()
    {
        var folder = Path.Combine(AppContext.BaseDirectory, "VectorMessages");
        var schema = SchemaRunner.Write([.. Directory.GetFiles(folder).Order(StringComparer.Ordinal).Select(File.ReadAllText)]);

        if (Environment.GetEnvironmentVariable("RELOADED_MESSAGING_APPROVE") == "1")
            File.WriteAllText(Path.Combine(VectorFile.FindFolder(ThisFile()), "contracts.schema.json"), schema);
        else
            VectorFile.AssertApproved("contracts.schema.json", schema);
    }

    private static string ThisFile([CallerFilePath] string path = "") => path;
}
