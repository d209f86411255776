using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Tests.Compiler;
using Reloaded.Messaging.Tests.Il2Cpp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The programs of the pages for Unity.</summary>
public sealed class UnityPageTests
{
    private static readonly string s_sample = Path.Combine(UnityCompiler.Package, "Samples~", "FirstMessage");

    [Fact]
    public void Page_shows_the_sample() => Assert.Equal(
        [Read("Contracts", "FirstMessage.Contracts.asmdef"), Read("Contracts", "Messages.cs"), Read("GameServer.cs")],
        [BlocksOf("unity.md", "json")[0], .. BlocksOf("unity.md", "csharp")[..2]]);

    [Fact]
    public void Tool_of_the_page_compiles_with_the_contracts_of_the_sample()
    {
        var options = new CSharpParseOptions(LanguageVersion.Latest);
        var compilation = CSharpCompilation.Create(
            "Tool",
            new[] { BlocksOf("unity.md", "csharp")[2], Read("Contracts", "Messages.cs") }.Select(source => CSharpSyntaxTree.ParseText(source, options)),
            AnalyzerRunner.References,
            new CSharpCompilationOptions(OutputKind.ConsoleApplication));
        CSharpGeneratorDriver.Create([new MessageGenerator().AsSourceGenerator()], parseOptions: options).RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported);

        Assert.Empty(reported.AddRange(output.GetDiagnostics(TestContext.Current.CancellationToken)).Where(static one => one.Severity >= DiagnosticSeverity.Warning));
    }

    [Fact]
    public void Game_with_prebuilt_contracts_compiles_as_csharp_9()
    {
        const string IsExternalInit = "namespace System.Runtime.CompilerServices { internal static class IsExternalInit { } }";
        var (prebuilt, server, _) = ReadWays();

        var contracts = UnityCompiler.Compile("Game.Contracts", LanguageVersion.CSharp10, [prebuilt, IsExternalInit], runsGenerator: true);
        UnityCompiler.Compile("Assembly-CSharp", LanguageVersion.CSharp9, [server, UnityCompiler.Engine], references: contracts);
    }

    [Fact]
    public void Game_with_committed_files_compiles_as_csharp_9()
    {
        var (_, server, declared) = ReadWays();

        var generated = UnityCompiler.GeneratedIn(UnityCompiler.Compile("Game.Contracts", LanguageVersion.CSharp9, [declared], runsGenerator: true)).ToList();
        Assert.Equal(4, generated.Count); // two messages, the methods for their types, and the declaration of both
        UnityCompiler.Compile("Assembly-CSharp", LanguageVersion.CSharp9, [declared, server, UnityCompiler.Engine, .. generated]);
    }

    [Fact]
    public void Generated_files_of_each_kind_of_message_compile_as_csharp_8()
    {
        var generated = UnityCompiler.GeneratedIn(UnityCompiler.Compile("Kinds", LanguageVersion.CSharp9, [MessageKinds.Source], runsGenerator: true)).ToList();

        Assert.InRange(generated.Count, 10, 30);
        UnityCompiler.Compile("Assembly-CSharp", LanguageVersion.CSharp8, [MessageKinds.Source, .. generated]);
    }

    private static (string Prebuilt, string Server, string Declared) ReadWays() =>
        BlocksOf("unity-older-editors.md", "csharp") is [var prebuilt, var server, var declared] ? (prebuilt, server, declared) : throw new FormatException("The page has another number of programs.");

    private static string Read(params string[] path) => File.ReadAllText(Path.Combine([s_sample, .. path])).ReplaceLineEndings("\n");

    private static List<string> BlocksOf(string page, string language) =>
    [
        .. File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", page)).ReplaceLineEndings("\n").Split("```")
            .Where(block => block.StartsWith(language + "\n", StringComparison.Ordinal))
            .Select(block => block[(language.Length + 1)..]),
    ];
}
