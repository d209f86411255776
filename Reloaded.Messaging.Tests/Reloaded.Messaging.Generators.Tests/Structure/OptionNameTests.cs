using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>An option that a text of a program or a page names is public, so the reader can set it.</summary>
public sealed class OptionNameTests
{
    private static readonly string[] s_ofDotNet = ["HostOptions", "PipeOptions"];

    /// <summary>The members of the public types, by the name of the type.</summary>
    private static readonly Lazy<ILookup<string, string>> s_members = new(static () => FilesIn("", ".approved.txt").SelectMany(ReadMembers).ToLookup(static one => one.Type, static one => one.Member));

    [Fact]
    public void Texts_in_sources_name_only_public_options()
    {
        var texts = FilesIn("Source", ".cs").Concat(FilesIn("Integrations", ".cs")).Where(static file => !file.Contains("Tests", StringComparison.Ordinal))
            .SelectMany(static file => CSharpSyntaxTree.ParseText(File.ReadAllText(file)).GetRoot().DescendantTokens()
                .Where(static token => token.Kind() is SyntaxKind.StringLiteralToken or SyntaxKind.InterpolatedStringTextToken)
                .Select(token => (file, token.ValueText)));

        AssertPublic(NamesIn(texts));
    }

    [Fact]
    public void Pages_name_only_public_options() => AssertPublic(NamesIn(
        FilesIn("docs", ".md").Concat(FilesIn("Integrations", ".md")).Concat(FilesIn("Examples", ".md"))
            .SelectMany(static file => Regex.Matches(File.ReadAllText(file), "`[^`\n]+`").Select(text => (file, text.Value)))));

    private static void AssertPublic(List<(string File, string Type, string Member)> names)
    {
        Assert.InRange(names.Count, 30, 1000);
        Assert.DoesNotContain(names, static name => !s_ofDotNet.Contains(name.Type) && !s_members.Value[name.Type].Contains(name.Member));
    }

    private static List<(string File, string Type, string Member)> NamesIn(IEnumerable<(string File, string Text)> texts) =>
    [
        .. from text in texts
           from name in Regex.Matches(text.Text, @"\b(\w+(?:Options|Limits))\.([A-Z]\w*)")
           select (Path.GetRelativePath(SourceProject.Repository, text.File), name.Groups[1].Value, name.Groups[2].Value)
    ];

    private static IEnumerable<(string Type, string Member)> ReadMembers(string file)
    {
        var type = "";
        foreach (var line in File.ReadLines(file))
        {
            if (line.Length > 0 && line[0] != ' ')
                type = Regex.Match(line, @"(?:Reloaded|Microsoft)\.[\w.]*?(\w+)(?:[<: ]|$)").Groups[1].Value;
            else if (Regex.Match(line, @"(\w+)(?:<[^()]*>)?(?: \{|\()") is { Success: true } member)
                yield return (type, member.Groups[1].Value);
        }
    }

    private static IEnumerable<string> FilesIn(string folder, string suffix) => Directory.EnumerateFiles(Path.Combine(SourceProject.Repository, folder), "*" + suffix, SearchOption.AllDirectories)
        .Where(static file => !Path.GetRelativePath(SourceProject.Repository, file).Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj" or "artifacts" or "node_modules"));
}
