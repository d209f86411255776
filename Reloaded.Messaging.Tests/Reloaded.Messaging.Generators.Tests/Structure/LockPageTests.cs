using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>docs/internals/locking.md names each lock of the packages, and no other.</summary>
public sealed class LockPageTests
{
    /// <summary>The types whose fields are locks, besides the objects of <c>lock</c> statements.</summary>
    private static readonly HashSet<string> s_types = new(StringComparer.Ordinal) { "ShortLock", "SpinLock", "SemaphoreSlim", "Lock", "Mutex", "ReaderWriterLockSlim" };

    private static readonly string s_page = File.ReadAllText(Path.Combine(SourceProject.Repository, "docs", "internals", "locking.md"));

    /// <summary>The folders of Source whose locks the page names.</summary>
    private static readonly string[] s_folders =
    [
        "Reloaded.Messaging",
        "Reloaded.Messaging.Transports",
        "Reloaded.Messaging.Transports.LiteNetLib",
        "Reloaded.Messaging.Hosting",
        "Reloaded.Messaging.Games",
        "Shared",
        "NetStandard",
        "Reloaded.Messaging.Hosting.RabbitMQ",
    ];

    [Fact]
    public void Page_names_each_lock_of_the_packages()
    {
        var locks = s_folders.SelectMany(LocksOf).ToHashSet(StringComparer.Ordinal);
        var rows = s_page.Split('\n').Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).SelectMany(static line => NamesIn(line.Split('|')[1])).ToList();

        Assert.Empty(locks.Except(rows).Order());
        Assert.Empty(rows.Except(locks).Order());
    }

    [Fact]
    public void Locks_are_taken_in_no_circle()
    {
        var rows = s_page.Split('\n').Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).Select(static line => line.Split('|')).Where(static columns => columns.Length == 5).ToList();
        var takes = rows.SelectMany(static row => NamesIn(row[1]).Select(name => (Name: name, Taken: NamesIn(row[3]).ToList()))).ToDictionary(static row => row.Name, static row => row.Taken, StringComparer.Ordinal);

        Assert.Empty(takes.Values.SelectMany(static taken => taken).Except(takes.Keys));
        while (takes.Keys.FirstOrDefault(name => takes[name].TrueForAll(taken => !takes.ContainsKey(taken))) is { } leaf)
            takes.Remove(leaf);
        Assert.Empty(takes.Keys);
    }

    [Fact]
    public void Locks_are_found_by_their_type_and_by_their_statements()
    {
        const string Source = "class A<T>(object gate) { ShortLock _short = new(); static List<SemaphoreSlim>? s_one; void M(B b) { lock (this._own) { } lock (gate!) { } lock (b.Gate) { } } class B { void N() { lock (_other) { } } } }";

        Assert.Equal(["A.B._other", "A._own", "A._short", "A.b.Gate", "A.gate", "A.s_one"], LocksIn(CSharpSyntaxTree.ParseText(Source).GetRoot()).Order(StringComparer.Ordinal));
    }

    private static IEnumerable<string> LocksOf(string folder) =>
        from source in SourceProject.FilesIn(folder)
        where folder != "NetStandard" || !source.Path.Contains("RabbitMQ", StringComparison.Ordinal)
        from found in LocksIn(CSharpSyntaxTree.ParseText(File.ReadAllText(source.File), new CSharpParseOptions(LanguageVersion.Preview)).GetRoot())
        select found;

    /// <summary>The names of the locks, each with the types that contain it.</summary>
    private static IEnumerable<string> LocksIn(SyntaxNode root)
    {
        foreach (var statement in root.DescendantNodes().OfType<LockStatementSyntax>())
            yield return NameOf(statement, statement.Expression.ToString().Replace("this.", "", StringComparison.Ordinal).TrimEnd('!'));
        foreach (var field in root.DescendantNodes().OfType<FieldDeclarationSyntax>().Where(static field => field.Declaration.Type.DescendantTokens().Any(static token => s_types.Contains(token.Text))))
        {
            foreach (var variable in field.Declaration.Variables)
                yield return NameOf(field, variable.Identifier.Text);
        }
    }

    private static IEnumerable<string> NamesIn(string cell) => Regex.Matches(cell, "`(?<name>[^`]+)`").Select(static match => match.Groups["name"].Value);

    private static string NameOf(SyntaxNode node, string name) =>
        string.Join('.', node.Ancestors().OfType<TypeDeclarationSyntax>().Reverse().Select(static type => type.Identifier.Text).Append(name));
}
