using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>docs/internals/locking.md has a row for each field that two threads share without a lock, and no other.</summary>
public sealed class MemoryOrderPageTests
{
    /// <summary>The folders of Source whose fields the page lists.</summary>
    private static readonly string[] s_folders = ["Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting", "Shared", "NetStandard"];

    [Fact]
    public void Page_lists_each_field_that_threads_access_by_barriers()
    {
        var found = new SharedFields(s_folders.SelectMany(SourcesOf)).Find().ToHashSet();
        var rows = RowsBelow("### Fields with barriers").ToList();

        var differences = found.Except(rows).Select(static field => $"no row: {field}").Concat(rows.Except(found).Select(static field => $"no field: {field}")).Order(StringComparer.Ordinal).ToList();
        if (differences.Count > 0)
            Assert.Fail(string.Join(Environment.NewLine, differences));
        Assert.Equal(rows.Count, rows.Distinct().Count());
    }

    [Fact]
    public void Fields_without_barriers_exist_and_have_no_barrier()
    {
        var withBarriers = RowsBelow("### Fields with barriers").Select(static row => (row.File, Name: row.Field.Split('.')[^1])).ToHashSet();
        var plain = RowsBelow("### Fields without barriers").ToList();

        Assert.NotEmpty(plain);
        foreach (var (file, field) in plain)
        {
            Assert.Matches($@"\b{field}\b", File.ReadAllText(Path.Combine(SourceProject.Repository, "Source", file)));
            Assert.False(withBarriers.Contains((file, field)), $"{file} {field} is in both tables.");
        }
    }

    [Fact]
    public void Fields_are_found_behind_locals_elements_pointers_and_other_objects()
    {
        const string Source =
            """
            unsafe class A
            {
                volatile bool _flag;
                long _own, _left, _right, _plain;
                long[] _items;
                int* _word;

                void M(B other, ref long parameter, byte* start)
                {
                    ref var local = ref _items[1];
                    Volatile.Write(ref local, 1);
                    Interlocked.Increment(ref _own);
                    Interlocked.Add(ref (_plain > 0 ? ref _left : ref _right), 1);
                    Volatile.Read(ref parameter);
                    Volatile.Read(ref other.Field);
                    Volatile.Read(ref *_word);
                    Volatile.Read(ref *(long*)(start + ALayout.Head));
                }

                class B { public int Field; }
            }
            """;

        Assert.Equal(["A.B.Field", "A._flag", "A._items", "A._left", "A._own", "A._right", "A._word", "ALayout.Head"], new SharedFields([("A.cs", Source)]).Find().Select(static field => field.Field).Order(StringComparer.Ordinal));
    }

    private static IEnumerable<(string File, string Field)> RowsBelow(string heading) =>
        from row in File.ReadLines(Path.Combine(SourceProject.Repository, "docs", "internals", "locking.md")).SkipWhile(line => line != heading).Skip(1).TakeWhile(static line => !line.StartsWith('#'))
        where row.StartsWith("| ", StringComparison.Ordinal) && row.Contains(".cs", StringComparison.Ordinal)
        let columns = row.Split('|')
        from field in Regex.Matches(columns[2], "`(?<name>[^`]+)`").Select(static match => match.Groups["name"].Value)
        select (columns[1].Trim(), field);

    private static IEnumerable<(string File, string Text)> SourcesOf(string folder) =>
        from source in SourceProject.FilesIn(folder)
        select (source.Path, File.ReadAllText(source.File));
}
