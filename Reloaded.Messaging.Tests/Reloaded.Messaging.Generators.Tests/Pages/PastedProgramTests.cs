using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The complete programs of the pages compile as the <c>Program.cs</c> of a new console project.</summary>
public sealed class PastedProgramTests
{
    // The implicit usings of a console project.
    private const string ImplicitUsings =
        "global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq; global using System.Net.Http; global using System.Threading; global using System.Threading.Tasks;";

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Latest);

    [Theory]
    [InlineData("README.md", 3)]
    [InlineData("getting-started.md", 2)]
    public void Program_pasted_into_console_project_compiles(string page, int count)
    {
        var programs = ReadPrograms(page);

        Assert.Equal(count, programs.Count);
        Assert.All(programs, static program => Assert.Empty(FindErrors(program)));
    }

    [Fact]
    public void Program_with_missing_message_type_is_reported()
    {
        var program = ReadPrograms("README.md")[0];

        var errors = FindErrors(program.Replace("[Message(2)] public record Greeting(string Text);", "", StringComparison.Ordinal));

        Assert.Contains(errors, static error => error.Id == "CS0246");
    }

    // A block of code that declares its messages after its statements is a complete program.
    private static List<string> ReadPrograms(string page) =>
    [
        .. File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", page)).ReplaceLineEndings("\n").Split("```")
            .Where(static block => block.StartsWith("csharp\nusing ", StringComparison.Ordinal) && block.Contains("\n\n[Message(", StringComparison.Ordinal))
            .Select(static block => block["csharp\n".Length..]),
    ];

    private static List<Diagnostic> FindErrors(string program)
    {
        var compilation = CSharpCompilation.Create(
            "Greetings",
            [CSharpSyntaxTree.ParseText(program, s_options), CSharpSyntaxTree.ParseText(ImplicitUsings, s_options)],
            AnalyzerRunner.References,
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));
        GeneratorRunner.Driver().RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported);
        return [.. reported.AddRange(output.GetDiagnostics()).Where(static diagnostic => diagnostic.Severity >= DiagnosticSeverity.Warning)];
    }
}
