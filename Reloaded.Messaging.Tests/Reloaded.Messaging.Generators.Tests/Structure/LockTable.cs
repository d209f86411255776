using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The tables of locks and semaphores on a page, and the locks in sources.</summary>
/// <param name="page">The path of the page in the repository.</param>
internal sealed class LockTable(string page)
{
    /// <summary>The types whose fields are locks, besides the objects of <c>lock</c> statements.</summary>
    private static readonly HashSet<string> s_types = new(StringComparer.Ordinal) { "ShortLock", "SpinLock", "SemaphoreSlim", "Lock", "Mutex", "ReaderWriterLockSlim" };

    private readonly List<string[]> _rows = [.. RowsOf(File.ReadAllLines(Path.Combine(SourceProject.Repository, page)))];

    /// <summary>Fails unless the page has a row for each lock of some folders of <c>Source</c>, and no other.</summary>
    public void AssertNamesLocksOf(params string[] folders)
    {
        var locks = folders.SelectMany(LocksOf).ToHashSet(StringComparer.Ordinal);
        var rows = _rows.SelectMany(static columns => NamesIn(columns[1])).ToList();

        Assert.Empty(locks.Except(rows).Order());
        Assert.Empty(rows.Except(locks).Order());
    }

    /// <summary>Fails if locks may be taken in a circle, or if a row names a lock without a row.</summary>
    public void AssertNoCircle()
    {
        var takes = _rows.SelectMany(static row => NamesIn(row[1]).Select(name => (Name: name, Taken: NamesIn(row[3]).ToList()))).ToDictionary(static row => row.Name, static row => row.Taken, StringComparer.Ordinal);

        Assert.Empty(takes.Values.SelectMany(static taken => taken).Except(takes.Keys));
        while (takes.Keys.FirstOrDefault(name => takes[name].TrueForAll(taken => !takes.ContainsKey(taken))) is { } leaf)
            takes.Remove(leaf);
        Assert.Empty(takes.Keys);
    }

    /// <summary>The names of the locks, each with the types that contain it.</summary>
    public static IEnumerable<string> LocksIn(SyntaxNode root)
    {
        foreach (var statement in root.DescendantNodes().OfType<LockStatementSyntax>())
            yield return NameOf(statement, statement.Expression.ToString().Replace("this.", "", StringComparison.Ordinal).TrimEnd('!'));
        foreach (var field in root.DescendantNodes().OfType<FieldDeclarationSyntax>().Where(static field => field.Declaration.Type.DescendantTokens().Any(static token => s_types.Contains(token.Text))))
        {
            foreach (var variable in field.Declaration.Variables)
                yield return NameOf(field, variable.Identifier.Text);
        }
    }

    /// <summary>The cells of the rows below a header whose first cell is "lock" or "semaphore".</summary>
    private static IEnumerable<string[]> RowsOf(string[] lines)
    {
        var isTable = false;
        foreach (var line in lines)
        {
            isTable = line.StartsWith('|') && (isTable || line.StartsWith("| lock |", StringComparison.Ordinal) || line.StartsWith("| semaphore |", StringComparison.Ordinal));
            if (isTable && line.StartsWith("| `", StringComparison.Ordinal))
                yield return line.Split('|');
        }
    }

    private static IEnumerable<string> LocksOf(string folder) =>
        from source in SourceProject.FilesIn(folder)
        from found in LocksIn(CSharpSyntaxTree.ParseText(File.ReadAllText(source.File), new CSharpParseOptions(LanguageVersion.Preview)).GetRoot())
        select found;

    private static IEnumerable<string> NamesIn(string cell) => Regex.Matches(cell, "`(?<name>[^`]+)`").Select(static match => match.Groups["name"].Value);

    private static string NameOf(SyntaxNode node, string name) =>
        string.Join('.', node.Ancestors().OfType<TypeDeclarationSyntax>().Reverse().Select(static type => type.Identifier.Text).Append(name));
}
