using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.Compiler;

/// <summary>The package's build targets, run by MSBuild over a project that compiles nothing.</summary>
public sealed class CompilerWarningTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("compiler-warning");

    [Theory]
    [InlineData("", "C#", true)]
    [InlineData("roslyn4.2", "C#", true)]
    [InlineData("roslyn4.3", "C#", false)]
    [InlineData("roslyn4.14", "C#", false)]
    [InlineData("", "F#", false)]
    public async Task Compiler_older_than_the_generator_gets_one_warning(string compiler, string language, bool isWarned)
    {
        var targets = Path.Combine(AppContext.BaseDirectory, "buildTransitive", "Reloaded.Messaging.targets");
        var project = Path.Combine(_folder.FullName, "test.proj");
        await File.WriteAllTextAsync(project, $"""
            <Project>
              <PropertyGroup><CompilerApiVersion>{compiler}</CompilerApiVersion><Language>{language}</Language></PropertyGroup>
              <Import Project="{targets}" />
              <Target Name="CoreCompile" />
            </Project>
            """);

        var output = await BuildAsync(project);

        Assert.Contains("0 Error(s)", output, StringComparison.Ordinal);
        Assert.Contains(isWarned ? "1 Warning(s)" : "0 Warning(s)", output, StringComparison.Ordinal);
        Assert.Equal(isWarned, output.Contains("warning RM0001: The C# compiler is Roslyn ", StringComparison.Ordinal));
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static async Task<string> BuildAsync(string project)
    {
        var start = new ProcessStartInfo("dotnet", ["msbuild", project, "-t:CoreCompile", "-nologo", "-nodeReuse:false", "-consoleLoggerParameters:Summary"]) { RedirectStandardOutput = true };
        start.Environment["DOTNET_CLI_UI_LANGUAGE"] = "en";
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return output;
    }
}
