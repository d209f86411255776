using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>The table of structures and their models in docs/internals/testing.md, against the sources.</summary>
public sealed class TestingPageTests
{
    private static readonly List<string[]> s_rows = new PageTable("testing.md").Rows("Structures and their models");

    [Fact]
    public void Structures_of_the_page_are_the_types_with_arrays_and_collections() =>
        Assert.Equal(FindStructures().Distinct().Order(StringComparer.Ordinal), s_rows.Select(static row => row[0]).Order(StringComparer.Ordinal));

    [Fact]
    public void Each_structure_has_a_model_or_a_reason_and_its_tests_exist()
    {
        var classes = Sources("Reloaded.Messaging.Tests").SelectMany(static file => Regex.Matches(file, @"\bclass (\w+)").Select(static found => found.Groups[1].Value)).ToHashSet();
        foreach (var row in s_rows)
        {
            var tests = Regex.Matches(row[1], @"\w+").Select(static found => found.Value).ToArray();
            Assert.True(tests.Length > 0 || row[2].StartsWith("None: ", StringComparison.Ordinal), $"{row[0]} has no test and no reason.");
            Assert.All(tests, test => Assert.True(classes.Contains(test), $"{row[0]} names {test}, which does not exist."));
        }
    }

    /// <summary>The types with a private instance field that is an array or a collection.</summary>
    private static IEnumerable<string> FindStructures()
    {
        foreach (var line in new[] { "Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting" }
            .SelectMany(static project => Sources(Path.Combine("Source", project)))
            .SelectMany(static file => StructureOf(file)))
            yield return line;
    }

    private static IEnumerable<string> StructureOf(string file)
    {
        var type = "";
        foreach (var line in file.Split('\n'))
        {
            if (Regex.Match(line, @"^ *(?:(?:public|internal|private|protected|sealed|abstract|static|readonly|ref|unsafe|partial|record) )+(?:class|struct|record) (\w+)") is { Success: true } declared)
                type = declared.Groups[1].Value;
            else if (Regex.IsMatch(line, @"^ +private (?!static |const )(?:readonly )?[^=;{]*(?:\[\]|(?:List|Dictionary|HashSet|Queue|Stack|SortedSet|ConditionalWeakTable)<)[^=;{]* _\w+(?: =|;)") && !line.Contains("=>", StringComparison.Ordinal))
                yield return type;
        }
    }

    private static IEnumerable<string> Sources(string folder) =>
        from path in Directory.EnumerateFiles(Path.Combine(RepositoryFolder.FullName, folder), "*.cs", SearchOption.AllDirectories)
        where !path.Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj")
        select File.ReadAllText(path);
}
