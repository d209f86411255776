using System.Linq;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>docs/internals/locking.md names each lock of the packages, and no other.</summary>
public sealed class LockPageTests
{
    private static readonly LockTable s_table = new("docs/internals/locking.md");

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
    ];

    [Fact]
    public void Page_names_each_lock_of_the_packages() => s_table.AssertNamesLocksOf(s_folders);

    [Fact]
    public void Locks_are_taken_in_no_circle() => s_table.AssertNoCircle();

    [Fact]
    public void Locks_are_found_by_their_type_and_by_their_statements()
    {
        const string Source = "class A<T>(object gate) { ShortLock _short = new(); static List<SemaphoreSlim>? s_one; void M(B b) { lock (this._own) { } lock (gate!) { } lock (b.Gate) { } } class B { void N() { lock (_other) { } } } }";

        Assert.Equal(["A.B._other", "A._own", "A._short", "A.b.Gate", "A.gate", "A.s_one"], LockTable.LocksIn(CSharpSyntaxTree.ParseText(Source).GetRoot()).Order(StringComparer.Ordinal));
    }
}
