using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Makes the part of a report from a measured group.</summary>
internal static class GroupReport
{
    private static readonly string[] s_columns = ["figure", "value", "earlier", "unit", "range", "target"];
    private static readonly string[] s_alignments = ["---", "---:", "---:", "---", "---:", "---:"];
    private static readonly string[] s_otherColumns = ["work", "unit", "this library", "other", "its result", "faster"];
    private static readonly string[] s_otherAlignments = ["---", "---", "---:", "---", "---:", "---"];

    private static string Machine => Text($"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors, {(System.Runtime.GCSettings.IsServerGC ? "server" : "workstation")} GC, not concurrent");

    /// <summary>Returns the part of a report about a group.</summary>
    /// <param name="name">The name of the group.</param>
    /// <param name="title">Its title.</param>
    /// <param name="group">The measured group.</param>
    /// <param name="sections">Further tables.</param>
    /// <param name="earlier">The part of the earlier report; <c>null</c> if it had none.</param>
    public static ReportPart Of(string name, string title, FigureGroup group, IEnumerable<ReportSection> sections, ReportPart? earlier)
    {
        if (group.Figures.Count == 0)
            return new ReportPart(name, title, Text($"Not measured: {group.Skipped ?? "the group has no figures"}"), [], null, []);
        var rows = group.Figures.Select(figure => new[] { $"`{figure.Name}`", figure.Text, earlier?.Figures?.Find($"`{figure.Name}`", "value") ?? "", figure.Unit, figure.Range, figure.Goal });
        return new ReportPart(name, title, Text($"{Machine}. {group.Method}"), [.. group.Figures.Where(static figure => !figure.IsReached).Select(figure => Explain(group, figure))], new ReportTable(s_columns, s_alignments, [.. rows]), [.. Others(group.Peers), .. sections]);
    }

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

    /// <summary>Returns what is known of a target that was missed.</summary>
    private static string Explain(FigureGroup group, Figure figure) =>
        Text($"- `{figure.Name}`: {figure.Text}, target {figure.Bound}. {(figure.IsTargetInRange ? "Some rounds reach the target. " : "")}{group.Reasons.GetValueOrDefault(figure.Name, "The cause is not known.")}");

    private static IEnumerable<ReportSection> Others(IReadOnlyList<PeerComparison> peers)
    {
        if (peers.Count > 0)
            yield return new ReportSection(ReportPart.Others, "", new ReportTable(s_otherColumns, s_otherAlignments, [.. peers.Select(static peer => new[] { peer.Work, peer.Ours.Unit, peer.Ours.Text, peer.Peer, peer.Theirs.Text, peer.Verdict })]));
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
