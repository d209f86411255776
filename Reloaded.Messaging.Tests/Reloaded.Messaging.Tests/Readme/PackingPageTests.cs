using System.IO;
using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>Compares the code of docs/packing.md with code that is compiled and run. The packages for LZ4 and for recyclable streams run theirs.</summary>
public sealed class PackingPageTests
{
    [Fact]
    public void Page_shows_the_compiled_lines()
    {
        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "packing.md")).ReplaceLineEndings("\n");
        var shown = page.Split("```")
            .Where(static block => block.StartsWith("csharp\n", StringComparison.Ordinal) && !block.Contains("LZ4Compressor", StringComparison.Ordinal) && !block.Contains("MessageStreams", StringComparison.Ordinal))
            .SelectMany(static block => block.Split('\n')[1..])
            .Select(static line => line.Trim())
            .Where(static line => !line.StartsWith("//", StringComparison.Ordinal))
            .ToList();
        var compiled = new[] { "Buffers", "Dispatching", "Serializers" }
            .SelectMany(static name => File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "Readme", $"{name}PageTests.cs.txt")))
            .Select(static line => line.Trim().Replace("DispatchingPageTests.", "", StringComparison.Ordinal));

        Assert.InRange(shown.Count, 55, 120);
        Assert.Empty(shown.Except(compiled));
    }
}
