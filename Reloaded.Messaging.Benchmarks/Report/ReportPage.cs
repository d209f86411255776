using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The page of figures, with its plots: a summary, then the parts of the groups.</summary>
internal static class ReportPage
{
    /// <summary>The folder of the plots, beside the page.</summary>
    public const string PlotFolder = "plots";

    private const string Introduction = """
        # Benchmarks

        How fast is the library, compared with what a program would use instead? Each plot shows one task, with a bar for each library. Measurements on shared machines vary, so the folded tables have the ranges of all figures, and ratios are more reliable than times.

        ## Summary


        """;

    private const string Reading = """
        ## How to read the figures

        A figure is the median of rounds, and its range is that of the rounds. A ratio compares each round with the alternative in the same round. A figure with a target that it does not reach is marked as missed. The column `earlier` has the value of the report that this one replaced. That report may have measured earlier code. Where another library is faster, its name is in bold.

        `dotnet run -c Release --project Reloaded.Messaging.Benchmarks -- report` measures all groups and writes this page. Followed by names of groups (`report core udp`), it measures and replaces only the parts of those groups. `report again` measures nothing, and writes the page, its plots and the tables of other pages from the values on this page.


        """;

    /// <summary>Returns the text of the page, and its plots by the names of their files.</summary>
    /// <param name="parts">The parts, in their order.</param>
    public static (string Text, Dictionary<string, string> Plots) Write(IReadOnlyList<ReportPart> parts)
    {
        var plots = new Dictionary<string, string>();
        var groups = parts.Select(part => (Part: part, Images: Draw(PlotTask.Of(part, []), plots))).ToList();
        var page = new StringBuilder(Introduction);
        if (groups.Find(static group => group.Part.Name == PeerTables.Group).Images is [var first, .. var others])
        {
            page.Append(CultureInfo.InvariantCulture, $"{first}\n\n");
            groups = groups.ConvertAll(group => group.Images.Contains(first) ? group with { Images = others } : group);
        }

        WriteOthers(page, parts);
        page.Append("| part | targets reached |\n|---|---:|\n");
        foreach (var part in parts)
            page.Append(CultureInfo.InvariantCulture, $"| [{part.Title}](#{part.Anchor}) | {(part.Figures is null ? "not measured" : part.Targets == 0 ? "no target" : Invariant($"{part.Reached} of {part.Targets}"))} |\n");
        page.Append(CultureInfo.InvariantCulture, $"| all | {parts.Sum(static part => part.Reached)} of {parts.Sum(static part => part.Targets)} |\n\n");
        foreach (var (part, images) in groups)
            page.Append(part.Write(images));
        return (page.Append(Reading.TrimEnd()).Append('\n').ToString(), plots);
    }

    /// <summary>Draws tasks, and returns their images in Markdown.</summary>
    public static List<string> Draw(List<PlotTask> tasks, Dictionary<string, string> plots) => tasks.ConvertAll(task =>
    {
        if (!plots.TryAdd(task.File, TaskChart.Draw(task)))
            throw new InvalidDataException($"Two tasks have the plot '{task.File}'. Give the tasks different names.");
        return $"![{task.Description}]({PlotFolder}/{task.File})";
    });

    /// <summary>Writes plots, and removes the other files of their folder.</summary>
    /// <param name="folder">The folder of the page.</param>
    /// <param name="plots">The plots by the names of their files.</param>
    public static void WritePlots(string folder, Dictionary<string, string> plots)
    {
        var target = Directory.CreateDirectory(Path.Combine(folder, PlotFolder));
        foreach (var file in target.EnumerateFiles().Where(file => !plots.ContainsKey(file.Name)))
            file.Delete();
        foreach (var (name, plot) in plots)
            File.WriteAllText(Path.Combine(target.FullName, name), plot);
    }

    /// <summary>Writes in how many comparisons this library is faster than another library, and names the others.</summary>
    private static void WriteOthers(StringBuilder page, IReadOnlyList<ReportPart> parts)
    {
        var rows = parts.SelectMany(static part => part.Sections).Where(static section => section.Heading == ReportPart.Others).SelectMany(static section => section.Table.Rows).ToList();
        var slower = rows.Where(static row => row[^1].StartsWith("**", StringComparison.Ordinal)).ToList();
        var equal = rows.Count(static row => row[^1].StartsWith("equal", StringComparison.Ordinal));
        page.Append(CultureInfo.InvariantCulture, $"Of {rows.Count} comparisons with other libraries, this library is faster in {rows.Count - slower.Count - equal}, equal within 5 % in {equal}, and slower in {slower.Count}{(slower.Count > 0 ? ":" : ".")}\n\n");
        foreach (var row in slower)
            page.Append(CultureInfo.InvariantCulture, $"- {row[0]}: {row[^1]}\n");
        if (slower.Count > 0)
            page.Append('\n');
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
