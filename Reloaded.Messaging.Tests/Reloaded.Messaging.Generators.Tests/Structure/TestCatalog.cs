using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The tests of all suites of the house and the neighbours, read from their sources.</summary>
internal static class TestCatalog
{
    private static readonly Lazy<HashSet<string>> s_names = new(static () => [.. ReadNames()]);

    /// <summary>Whether a class declares a test.</summary>
    /// <param name="name">The class and the method, with a dot between them.</param>
    public static bool Has(string name) => s_names.Value.Contains(name);

    /// <summary>Whether any class declares a test with this name.</summary>
    public static bool HasMethod(string method) => s_names.Value.Contains(method);

    private static IEnumerable<string> ReadNames() =>
        from folder in RepositoryFolder.Tests
        from file in Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
        where !file.Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj")
        from method in CSharpSyntaxTree.ParseText(File.ReadAllText(file)).GetRoot().DescendantNodes().OfType<MethodDeclarationSyntax>()
        where method.AttributeLists.SelectMany(static list => list.Attributes).Any(static one => one.Name.ToString().EndsWith("Fact", StringComparison.Ordinal) || one.Name.ToString().EndsWith("Theory", StringComparison.Ordinal))
        from name in new[] { method.Identifier.Text, $"{((TypeDeclarationSyntax)method.Parent!).Identifier.Text}.{method.Identifier.Text}" }
        select name;
}
