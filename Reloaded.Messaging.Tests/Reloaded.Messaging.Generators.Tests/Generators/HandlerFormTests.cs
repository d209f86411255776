using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>The compiler chooses the overload for a handler that stands behind it as a comment.</summary>
public sealed class HandlerFormTests
{
    [Theory]
    [InlineData(LanguageVersion.CSharp12)]
    [InlineData(LanguageVersion.Preview)]
    public void Handler_has_its_delegate(LanguageVersion language)
    {
        var code = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Forms", "HandlerForms.cs.txt")).ReplaceLineEndings("\n");
        var compilation = GeneratorRunner.Create(code, language);
        var tree = compilation.SyntaxTrees.Single();
        var model = compilation.GetSemanticModel(tree);
        Assert.Empty(compilation.GetDiagnostics().Where(static diagnostic => diagnostic.Severity >= DiagnosticSeverity.Warning));

        var chosen = new List<string>();
        foreach (var call in tree.GetRoot(TestContext.Current.CancellationToken).DescendantNodes().OfType<InvocationExpressionSyntax>())
        {
            if (call.Expression is MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax { Identifier.Text: "host" } })
                chosen.Add($"{call}; // {((IMethodSymbol)model.GetSymbolInfo(call).Symbol!).Parameters[^1].Type.ToMinimalDisplayString(model, call.SpanStart)}");
        }

        var lines = code.Split('\n').Select(static line => line.Trim()).Where(static line => line.StartsWith("host.", StringComparison.Ordinal)).ToList();
        Assert.InRange(lines.Count, 50, 100);
        Assert.Equal(lines, chosen);
    }
}
