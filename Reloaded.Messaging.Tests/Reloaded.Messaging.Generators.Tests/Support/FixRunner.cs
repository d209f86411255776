using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Applies a code fix, as an editor does.</summary>
internal static class FixRunner
{
    /// <summary>Applies the fix to the only report of an analyzer. The fixed code has to compile without that report.</summary>
    /// <returns>The fixed code; <c>null</c> if no fix is offered.</returns>
    public static async Task<string?> Fix(DiagnosticAnalyzer analyzer, CodeFixProvider fix, string code)
    {
        using var workspace = new AdhocWorkspace();
        var document = workspace
            .AddProject(ProjectInfo.Create(
                ProjectId.CreateNewId(),
                VersionStamp.Default,
                "Checked",
                "Checked",
                LanguageNames.CSharp,
                compilationOptions: new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable),
                parseOptions: new CSharpParseOptions(LanguageVersion.Latest),
                metadataReferences: AnalyzerRunner.References))
            .AddDocument("Code.cs", code);
        var reported = Assert.Single(await Analyze(document, analyzer));
        Assert.Contains(reported.Id, fix.FixableDiagnosticIds);

        var offered = new List<CodeAction>();
        await fix.RegisterCodeFixesAsync(new CodeFixContext(document, reported, (action, _) => offered.Add(action), TestContext.Current.CancellationToken));
        if (offered.Count == 0)
            return null;
        var operations = await Assert.Single(offered).GetOperationsAsync(TestContext.Current.CancellationToken);
        var changed = Assert.IsType<ApplyChangesOperation>(Assert.Single(operations)).ChangedSolution.GetDocument(document.Id)!;

        Assert.Empty(await Analyze(changed, analyzer));
        return (await changed.GetTextAsync(TestContext.Current.CancellationToken)).ToString();
    }

    private static async Task<IEnumerable<Diagnostic>> Analyze(Document document, DiagnosticAnalyzer analyzer)
    {
        var compilation = await document.Project.GetCompilationAsync(TestContext.Current.CancellationToken);
        Assert.Empty(compilation!.GetDiagnostics(TestContext.Current.CancellationToken).Where(static one => one.Severity == DiagnosticSeverity.Error));
        return await compilation.WithAnalyzers([analyzer]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
    }
}
