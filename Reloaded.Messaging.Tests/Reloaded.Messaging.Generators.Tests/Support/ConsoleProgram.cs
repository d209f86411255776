using System.Collections.Immutable;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Compiles a program as the <c>Program.cs</c> of a new console project, with the generator and the analyzers of the package, and runs it.</summary>
internal static class ConsoleProgram
{
    // The implicit usings of a console project.
    private const string ImplicitUsings =
        "global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq; global using System.Net.Http; global using System.Threading; global using System.Threading.Tasks;";

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Latest);
    private static readonly MetadataReference s_games = MetadataReference.CreateFromFile(typeof(TickLoop).Assembly.Location);

    private static readonly ImmutableArray<DiagnosticAnalyzer> s_analyzers =
    [
        .. typeof(MessageGenerator).Assembly.GetTypes()
            .Where(static type => !type.IsAbstract && type.IsSubclassOf(typeof(DiagnosticAnalyzer)))
            .Select(static type => (DiagnosticAnalyzer)Activator.CreateInstance(type)!),
    ];

    /// <summary>Compiles a program.</summary>
    /// <param name="program">The code.</param>
    /// <param name="name">The name of the assembly.</param>
    /// <param name="others">References beside those of the library's core, transports, hosts and games.</param>
    /// <returns>The compilation, and the errors and warnings.</returns>
    public static async Task<(Compilation Compilation, List<Diagnostic> Found)> CompileAsync(string program, string name = "Greetings", params MetadataReference[] others)
    {
        var compilation = CSharpCompilation.Create(
            name,
            [CSharpSyntaxTree.ParseText(program, s_options), CSharpSyntaxTree.ParseText(ImplicitUsings, s_options)],
            AnalyzerRunner.References.Add(s_games).AddRange(others),
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable, optimizationLevel: OptimizationLevel.Release));
        GeneratorRunner.Driver().RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported);
        var analyzed = await output.WithAnalyzers(s_analyzers).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
        return (output, [.. reported.AddRange(output.GetDiagnostics()).AddRange(analyzed).Where(static diagnostic => diagnostic.Severity >= DiagnosticSeverity.Warning)]);
    }

    /// <summary>Runs a compiled program in a process without input, and fails if its exit code is not 0.</summary>
    /// <param name="compilation">The program.</param>
    /// <param name="folder">A folder for its assembly. The assemblies of the library are copied to it.</param>
    /// <param name="arguments">The arguments of the program.</param>
    /// <returns>The output.</returns>
    public static async Task<string> RunAsync(Compilation compilation, string folder, params string[] arguments)
    {
        var program = Path.Combine(folder, $"{compilation.AssemblyName}.dll");
        var emitted = compilation.Emit(program, cancellationToken: TestContext.Current.CancellationToken);
        Assert.True(emitted.Success, string.Join('\n', emitted.Diagnostics));
        foreach (var library in new[] { typeof(MessageWriter), typeof(MessageEndpoint), typeof(MessageHost), typeof(TickLoop) })
            File.Copy(library.Assembly.Location, Path.Combine(folder, Path.GetFileName(library.Assembly.Location)), overwrite: true);
        File.Copy(Path.Combine(AppContext.BaseDirectory, $"{typeof(ConsoleProgram).Assembly.GetName().Name}.runtimeconfig.json"), Path.ChangeExtension(program, "runtimeconfig.json"));

        var start = new ProcessStartInfo("dotnet", [program, .. arguments]) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        using var process = Process.Start(start)!;
        try
        {
            process.StandardInput.Close();
            var (output, errors) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
            await process.WaitForExitAsync().InTime();
            Assert.True(process.ExitCode == 0, $"The program ended with {process.ExitCode}.\n{await output}\n{await errors}");
            Assert.Empty(await errors);
            return (await output).ReplaceLineEndings("\n");
        }
        finally
        {
            process.Kill();
        }
    }
}
