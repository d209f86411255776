using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>docs/internals/architecture.md, whose sections list the files that a message passes.</summary>
/// <remarks>The sources that packages share (Source/Shared: guards, locks, buffers, text) know no messages, and do not count.</remarks>
public static class TrailPage
{
    private const int MaxFiles = 24;

    /// <summary>Compares the files that were entered with the files of a section.</summary>
    /// <param name="output">Receives the files that were entered.</param>
    /// <param name="entered">The files, relative to the folder Source.</param>
    /// <param name="section">The section.</param>
    /// <param name="after">The sections to whose files this section adds. The message may enter them or not.</param>
    public static void Check(ITestOutputHelper output, IReadOnlyList<string> entered, string section, params string[] after)
    {
        var files = entered.Where(static file => !file.StartsWith("Shared/", StringComparison.Ordinal)).ToList();
        output.WriteLine($"{section}: {files.Count}\n{string.Join('\n', files)}");
        var listed = FilesOf(section);
        var before = after.SelectMany(FilesOf);

        Assert.InRange(listed.Count, 1, MaxFiles);
        Assert.Empty(files.Except(listed).Except(before).Select(file => $"{file} is not listed under \"{section}\"."));
        Assert.Empty(listed.Except(files).Select(file => $"{file} is listed under \"{section}\", and was not entered."));
    }

    /// <summary>The files to which the numbered list of a section refers.</summary>
    private static List<string> FilesOf(string section)
    {
        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", "architecture.md")).ReplaceLineEndings("\n");
        var start = page.IndexOf($"\n## {section}\n", StringComparison.Ordinal);
        Assert.True(start >= 0, $"docs/internals/architecture.md has no section \"{section}\".");
        var end = page.IndexOf("\n## ", start + 1, StringComparison.Ordinal);
        return [.. Regex.Matches(page[start..(end < 0 ? page.Length : end)], @"^\d+\..*", RegexOptions.Multiline)
            .SelectMany(static line => Regex.Matches(line.Value, @"\]\((?:\.\./)+Source/([^)#]+\.cs)\)"))
            .Select(static link => link.Groups[1].Value).Distinct()];
    }
}
