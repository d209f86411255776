using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A reader finds a type by the name of its file: a type that another file uses by name has a file of its own, unless it is short.</summary>
/// <remarks>A file of the name <c>Outbox.Ending.cs</c> is a part of the file <c>Outbox.cs</c>. Types are compared by name, so a type also counts as used where a type of the same name is used. A template is a program of its user, and does not count.</remarks>
public sealed class OwnFileTests
{
    /// <summary>The number of lines from which a type has its own file, from its attributes to its last brace, without its documentation.</summary>
    private const int MinLines = 15;

    [Fact]
    public void Type_that_another_file_uses_by_name_has_its_own_file()
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: ["NET8_0_OR_GREATER", "NET10_0_OR_GREATER"]);
        var files = SourceProject.FilesIn("").Where(static file => !file.Path.Contains("/content/", StringComparison.Ordinal)).Select(file => (file.Path, Name: NameOf(file.Path), Root: CSharpSyntaxTree.ParseText(File.ReadAllText(file.File), options).GetRoot())).ToList();
        var users = files.SelectMany(static file => NamesIn(file.Root).Distinct(StringComparer.Ordinal), static (file, type) => (type, file.Path)).ToLookup(static use => use.type, static use => use.Path, StringComparer.Ordinal);

        var wrong = (
            from file in files
            from type in file.Root.DescendantNodes(static node => node is not BaseTypeDeclarationSyntax).OfType<BaseTypeDeclarationSyntax>()
            let name = type.Identifier.Text
            where name != file.Name && LinesOf(type) >= MinLines
            let user = users[name].FirstOrDefault(user => NameOf(user) != file.Name && CanUse(user, file.Path, type))
            where user is not null
            select $"{file.Path} has {name} of {LinesOf(type)} lines, which {user} uses. Move it to {name}.cs.").ToList();

        Assert.InRange(files.Count, 400, int.MaxValue);
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    private static string NameOf(string path) => Path.GetFileName(path).Split('.')[0];

    private static int LinesOf(BaseTypeDeclarationSyntax type)
    {
        var lines = type.GetLocation().GetLineSpan();
        return lines.EndLinePosition.Line - lines.StartLinePosition.Line + 1;
    }

    /// <summary>Whether a file can mean the type: it is in the same project, or the type is public, or each project may compile it.</summary>
    private static bool CanUse(string user, string path, BaseTypeDeclarationSyntax type) =>
        ProjectOf(user) == ProjectOf(path) || type.Modifiers.Any(SyntaxKind.PublicKeyword) || ProjectOf(path) is "Shared" or "NetStandard";

    private static string ProjectOf(string path) => path[..path.IndexOf('/', StringComparison.Ordinal)];

    /// <summary>Returns the names in a file that can mean a type: not those of members after a dot, and not in documentation.</summary>
    private static IEnumerable<string> NamesIn(SyntaxNode root) =>
        from name in root.DescendantNodes().OfType<SimpleNameSyntax>()
        where name.Parent is not MemberAccessExpressionSyntax member || member.Name != name
        select name.Identifier.Text;
}
