using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A hash of all that the models of types are read from: declarations with their initial values and constructors, documentation and directives, but neither bodies of methods nor other comments.</summary>
/// <remarks>64-bit FNV-1a over UTF-16. The hash of a file is computed once, because an edit leaves the trees of other files as they are.</remarks>
internal static class DeclarationHash
{
    private const ulong Start = 14695981039346656037;
    private const ulong Prime = 1099511628211;

    private static readonly ConditionalWeakTable<SyntaxTree, StrongBox<ulong>> s_trees = new();

    public static ulong Of(Compilation compilation)
    {
        var hash = Add(Add(Start, compilation.AssemblyName ?? ""), ((CSharpCompilation)compilation).LanguageVersion.ToString());
        foreach (var tree in compilation.SyntaxTrees)
            hash = (hash ^ s_trees.GetValue(tree, static one => new(Of(one))).Value) * Prime;
        return hash;
    }

    private static ulong Of(SyntaxTree tree)
    {
        var hash = Add(Start, tree.FilePath);
        foreach (var token in tree.GetRoot().DescendantTokens(static node => !IsCode(node)))
        {
            hash = AddTrivia(hash, token.LeadingTrivia);
            hash = Add(hash, token.Text);
            hash = AddTrivia(hash, token.TrailingTrivia);
        }

        return hash;
    }

    /// <summary>Returns whether a node has code from which no model is read: the body of a method, or the statements of a program.</summary>
    private static bool IsCode(SyntaxNode node) => node is GlobalStatementSyntax || (node is BlockSyntax or ArrowExpressionClauseSyntax && node.Parent is MethodDeclarationSyntax);

    /// <remarks>A build without an XML file reads documentation as comments. Directives change the meaning of declarations, and skipped tokens are errors.</remarks>
    private static ulong AddTrivia(ulong hash, SyntaxTriviaList all)
    {
        foreach (var trivia in all)
        {
            var text = trivia.Kind() is SyntaxKind.WhitespaceTrivia or SyntaxKind.EndOfLineTrivia ? "" : trivia.ToFullString();
            if (text.Contains("///") || trivia.IsDirective || trivia.IsKind(SyntaxKind.SkippedTokensTrivia))
                hash = Add(hash, text);
        }

        return hash;
    }

    /// <summary>Continues with a text and a zero, which separates it from the next one.</summary>
    private static ulong Add(ulong hash, string text)
    {
        foreach (var unit in text)
            hash = (hash ^ unit) * Prime;
        return hash * Prime;
    }
}
