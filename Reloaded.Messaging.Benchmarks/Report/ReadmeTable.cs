using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The parts of <c>README.md</c> and <c>docs/comparison.md</c> with figures of the report, each between two comments.</summary>
internal static class ReadmeTable
{
    private const string End = "<!-- End of the written part. -->\n";

    /// <summary>Replaces a part.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="groups">The names of the groups of figures, which the first comment has.</param>
    /// <param name="part">The new part.</param>
    public static void Write(string path, string groups, string part)
    {
        var text = File.ReadAllText(path);
        var line = $"<!-- Written by `report {groups}`. -->\n";
        var start = text.IndexOf(line, StringComparison.Ordinal);
        var end = start < 0 ? -1 : text.IndexOf(End, start, StringComparison.Ordinal);
        if (end < 0)
            throw new InvalidDataException($"'{path}' has no part between the lines '{line.Trim()}' and '{End.Trim()}'. Restore the two lines.");
        File.WriteAllText(path, text[..(start + line.Length)] + part + text[end..]);
    }

    /// <summary>Returns the part of <c>README.md</c>: the plot of requests, and a table.</summary>
    /// <param name="parts">The parts of the report.</param>
    /// <exception cref="InvalidDataException">Thrown when the report lacks a value.</exception>
    public static string Draw(IReadOnlyList<ReportPart> parts)
    {
        var (core, peers) = (Group("core"), Group(PeerTables.Group));
        var requests = PlotTask.Of(peers, [])[0];
        var table = new StringBuilder();
        table.Append(CultureInfo.InvariantCulture, $"![{requests.Description}](docs/benchmarks/{ReportPage.PlotFolder}/{requests.File})\n\n");
        table.Append("| work | this library | allocated | compared with | its result |\n|---|---:|---:|---|---:|\n");
        AddFigure("dispatch a message to a typed handler", "dispatch.one", "dispatch.alloc", "a call through an array of delegates");
        AddFigure("append a message to a batch", "append", "append.alloc", "a buffer with lengths and checks");
        AddFigure("pack a message and release it", "pack", "pack.alloc", "renting, storing and returning an array");
        AddFigure("queue, pump and dispatch a message", "queue", "queue.alloc", "`System.Threading.Channels`");
        var serializers = peers[PeerTables.Serializers];
        AddRow("serialize a player with eight items", serializers["this library", "write, ns"], serializers["this library", "allocated by a write, B"], "MemoryPack", serializers["MemoryPack", "write, ns"]);
        table.Append(CultureInfo.InvariantCulture, $"\n{string.Join("; ", new[] { core, peers }.Select(static part => part.Method.Split(". ")[0]).Distinct())}.\n");
        return table.ToString();

        void AddFigure(string work, string figure, string allocated, string other) => AddRow(work, Value($"{figure}.ns"), Value(allocated), other, Value($"{figure}.floor.ns"));

        void AddRow(string work, string ours, string allocated, string other, string theirs) =>
            table.Append(CultureInfo.InvariantCulture, $"| {work} | {ours} ns | {double.Parse(allocated, CultureInfo.InvariantCulture):0.##} B | {other} | {theirs} ns |\n");

        string Value(string figure) => core.Figures![$"`{figure}`", "value"];

        ReportPart Group(string name) => parts.FirstOrDefault(part => part.Name == name) is { Figures: not null } part ? part : throw new InvalidDataException($"The report has no figures of the group '{name}'. Measure the group.");
    }
}
