using System.IO;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The complete programs of the pages compile as the <c>Program.cs</c> of a new console project.</summary>
public sealed class PastedProgramTests
{
    [Theory]
    [InlineData("README.md", 3)]
    [InlineData("getting-started.md", 2)]
    public async Task Program_pasted_into_console_project_compiles(string page, int count)
    {
        var programs = ReadPrograms(page);

        Assert.Equal(count, programs.Count);
        foreach (var program in programs)
            Assert.Empty((await ConsoleProgram.CompileAsync(program)).Found);
    }

    [Fact]
    public async Task Program_with_missing_message_type_is_reported()
    {
        var program = ReadPrograms("README.md")[1];

        var (_, errors) = await ConsoleProgram.CompileAsync(program.Replace("[Message(2)] public record Greeting(string Text);", "", StringComparison.Ordinal));

        Assert.Contains(errors, static error => error.Id == "CS0246");
    }

    // A block of code that declares its messages after its statements is a complete program.
    private static List<string> ReadPrograms(string page) =>
    [
        .. File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", page)).ReplaceLineEndings("\n").Split("```")
            .Where(static block => block.StartsWith("csharp\nusing ", StringComparison.Ordinal) && block.Contains("\n\n[Message(", StringComparison.Ordinal))
            .Select(static block => block["csharp\n".Length..]),
    ];
}
