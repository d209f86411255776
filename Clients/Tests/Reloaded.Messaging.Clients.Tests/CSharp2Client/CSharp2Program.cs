using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.CSharp2Client;

/// <summary>A program with the client of Clients/csharp2, compiled as C# 7.3 without warnings when a test first needs it.</summary>
/// <param name="Path">The path of the assembly.</param>
internal sealed record CSharp2Program(string Path)
{
    public const string NetStandard = "netstandard2.0";
    public const string NetFramework = "net472";

    private static readonly Dictionary<string, Task<CSharp2Program>> s_programs = [];

    public static string Folder { get; } = System.IO.Path.Combine(RepositoryFolder.FullName, "Clients", "csharp2");

    /// <summary>Returns a compiled program.</summary>
    /// <param name="framework"><see cref="NetStandard"/> or <see cref="NetFramework"/>.</param>
    /// <param name="schema">The schema whose contracts are exported for the program.</param>
    /// <param name="source">The path of a source file, which makes the assembly a program if it has <c>Main</c>; <c>null</c> for the client and the contracts alone.</param>
    public static Task<CSharp2Program> GetAsync(string framework, string schema, string? source)
    {
        lock (s_programs)
        {
            var key = $"{framework} {schema} {source}";
            if (!s_programs.TryGetValue(key, out var program))
                s_programs[key] = program = CompileAsync(framework, schema, source);
            return program;
        }
    }

    /// <summary>Runs the program by <c>dotnet</c>, or on Mono, to its end.</summary>
    /// <returns>The lines of the standard output. The exit code was 0.</returns>
    public Task<string[]> RunAsync(bool onMono, IEnumerable<string> input, params string[] arguments) => RunAsync(onMono, [], input, arguments);

    /// <summary>Runs the program with variables of the environment.</summary>
    public async Task<string[]> RunAsync(bool onMono, (string Name, string Value)[] environment, IEnumerable<string> input, params string[] arguments)
    {
        var isFacadeNeeded = onMono && Path.EndsWith($"{NetStandard}.dll", StringComparison.Ordinal);
        var (exitCode, output, error) = await Programs.RunAsync(onMono ? FindMono() : "dotnet", [Path, .. arguments], input, isFacadeNeeded ? [.. environment, ("MONO_PATH", FindFacade())] : environment);
        Assert.True(exitCode == 0, $"{System.IO.Path.GetFileName(Path)} ended with {exitCode}: {output}{error}");
        return output.ReplaceLineEndings("\n").TrimEnd('\n').Split('\n');
    }

    /// <summary>Returns the path of Mono. Skips the test if Mono is not installed.</summary>
    public static string FindMono()
    {
        var mono = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(System.IO.Path.PathSeparator).Select(static folder => System.IO.Path.Combine(folder, "mono")).FirstOrDefault(File.Exists);
        var isComplete = mono is not null && File.Exists(System.IO.Path.Combine(System.IO.Path.GetDirectoryName(mono)!, "..", "lib", "mono", "4.5", "System.Core.dll"));
        Assert.SkipUnless(isComplete, "mono is not installed. Install it with 'apt-get install mono-runtime libmono-system-core4.0-cil'.");
        return mono!;
    }

    /// <summary>Returns the folder with the netstandard.dll of Mono. Skips the test if it is missing.</summary>
    private static string FindFacade()
    {
        var folder = System.IO.Path.Combine(RepositoryFolder.FullName, "artifacts", "mono", "facade");
        Assert.SkipUnless(File.Exists(System.IO.Path.Combine(folder, "netstandard.dll")), "netstandard.dll of Mono is missing in artifacts/mono/facade. Install it with '.ci/mono prepare'.");
        return folder;
    }

    private static async Task<CSharp2Program> CompileAsync(string framework, string schema, string? source)
    {
        var options = new CSharpParseOptions(LanguageVersion.CSharp7_3);
        List<SyntaxTree> trees = [CSharpSyntaxTree.ParseText(await Tool.ExportAsync("csharp2", schema), options, "Contracts.cs", Encoding.UTF8)];
        foreach (var file in source is null ? [Client] : new[] { Client, source })
            trees.Add(CSharpSyntaxTree.ParseText(await File.ReadAllTextAsync(file), options, file, Encoding.UTF8));
        var hasMain = trees[^1].ToString().Contains(" Main(", StringComparison.Ordinal);
        var references = Directory.GetFiles(System.IO.Path.Combine(AppContext.BaseDirectory, "csharp2", framework), "*.dll").Select(static file => MetadataReference.CreateFromFile(file));

        // A project may check for overflows, which must not throw in the client.
        var compilation = CSharpCompilation.Create(
            $"{System.IO.Path.GetFileNameWithoutExtension(source ?? "Library")}.{framework}",
            trees,
            references,
            new CSharpCompilationOptions(hasMain ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary, checkOverflow: true, optimizationLevel: OptimizationLevel.Release, warningLevel: 9999));
        var folder = Directory.CreateDirectory(System.IO.Path.Combine(AppContext.BaseDirectory, "csharp2", "programs", System.IO.Path.GetFileName(System.IO.Path.GetDirectoryName(schema)!))).FullName;
        var path = System.IO.Path.Combine(folder, compilation.AssemblyName + ".dll");
        var result = compilation.Emit(path);
        Assert.DoesNotContain(result.Diagnostics, static one => one.Severity >= DiagnosticSeverity.Warning);
        Assert.True(result.Success);
        await File.WriteAllTextAsync(System.IO.Path.ChangeExtension(path, ".runtimeconfig.json"), $$"""{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "{{Environment.Version.Major}}.0.0" } } }""");
        return new CSharp2Program(path);
    }

    private static string Client { get; } = System.IO.Path.Combine(Folder, "ReloadedMessagingClient.cs");
}
