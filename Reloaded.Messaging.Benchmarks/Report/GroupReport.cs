using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Writes the part of a report about a group of figures.</summary>
internal static class GroupReport
{
    /// <summary>The runtime and the machine.</summary>
    public static string Machine => Text($"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors, {(System.Runtime.GCSettings.IsServerGC ? "server" : "workstation")} GC, not concurrent");

    /// <summary>Returns the part of a report about a group of figures, and writes its plot.</summary>
    /// <param name="name">The name of the group.</param>
    /// <param name="title">Its title.</param>
    /// <param name="group">The measured group.</param>
    /// <param name="folder">The folder of the page and of its plots.</param>
    /// <param name="writeTables">Writes further tables at the end.</param>
    /// <param name="earlier">The values of the earlier report, by the names of the figures.</param>
    public static string Write(string name, string title, FigureGroup group, string folder, Action<StringBuilder> writeTables, Dictionary<string, string> earlier)
    {
        var page = new StringBuilder();
        page.AppendLine(Text($"## {title}: group {name}"));
        page.AppendLine();
        if (group.Figures.Count == 0)
        {
            page.AppendLine(Text($"Not measured: {group.Skipped ?? "the group has no figures"}"));
            page.AppendLine();
            return page.ToString();
        }

        page.AppendLine(Text($"{Machine}. {group.Method}"));
        page.AppendLine();
        var targets = group.Figures.Where(static figure => figure.Reach is not null).ToList();
        WriteSpeeds(page, name, title, group, folder);
        WriteTargets(page, group, targets);
        page.AppendLine("| figure | value | earlier | unit | range | target |");
        page.AppendLine("|---|---:|---:|---|---:|---:|");
        foreach (var figure in group.Figures)
            page.AppendLine(Text($"| `{figure.Name}` | {figure.Text} | {earlier.GetValueOrDefault(figure.Name, "")} | {figure.Unit} | {figure.Range} | {figure.Goal} |"));
        page.AppendLine();
        WritePeers(page, group.Peers);
        writeTables(page);
        return page.ToString();
    }

    /// <summary>Writes the number of targets, and what is known of each that was missed.</summary>
    private static void WriteTargets(StringBuilder page, FigureGroup group, List<Figure> targets)
    {
        if (targets.Count == 0)
            return;
        var missed = targets.Where(static figure => !figure.IsReached).ToList();
        page.AppendLine(Text($"{targets.Count - missed.Count} of {targets.Count} targets are reached.{(missed.Count > 0 ? " Missed:" : "")}"));
        page.AppendLine();
        foreach (var figure in missed)
        {
            var reason = group.Reasons.GetValueOrDefault(figure.Name, "The cause is not known.");
            page.AppendLine(Text($"- `{figure.Name}`: {figure.Text}, target {figure.Bound}. {(figure.IsTargetInRange ? "Some rounds reach the target. " : "")}{reason}"));
        }

        if (missed.Count > 0)
            page.AppendLine();
    }

    private static void WriteSpeeds(StringBuilder page, string name, string title, FigureGroup group, string folder)
    {
        var rows = SpeedRow.Of(group);
        if (rows.Count == 0)
            return;
        File.WriteAllText(Path.Combine(folder, $"speed-{name}.svg"), SpeedChart.Draw($"{title}: this library and its alternatives", rows));
        page.AppendLine(Text($"![{title}: the speed of this library in multiples of its alternatives](speed-{name}.svg)"));
        page.AppendLine();
    }

    private static void WritePeers(StringBuilder page, IReadOnlyList<PeerComparison> peers)
    {
        if (peers.Count == 0)
            return;
        page.AppendLine("### Beside other libraries");
        page.AppendLine();
        page.AppendLine("| work | unit | this library | other | its result | faster |");
        page.AppendLine("|---|---|---:|---|---:|---|");
        foreach (var peer in peers)
            page.AppendLine(Text($"| {peer.Work} | {peer.Ours.Unit} | {peer.Ours.Text} | {peer.Peer} | {peer.Theirs.Text} | {peer.Verdict} |"));
        page.AppendLine();
    }

    /// <summary>Returns the printed values of the figures in one part of the page, by name.</summary>
    public static Dictionary<string, string> ReadValues(string part) =>
        Regex.Matches(part, @"^\| `([^`]+)` \| ([^ |]+) \|", RegexOptions.Multiline).ToDictionary(static row => row.Groups[1].Value, static row => row.Groups[2].Value);

    /// <summary>Returns the folder of the repository.</summary>
    public static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Reloaded.Messaging.sln")))
                return folder.FullName;
        }

        throw new DirectoryNotFoundException("The repository was not found above the folder of this program. The report is written into the repository, so run the program from its build output there.");
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
