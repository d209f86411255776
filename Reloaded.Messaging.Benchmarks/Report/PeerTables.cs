using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The tables of the group <c>peers</c>: all results for the report, and the short forms for <c>README.md</c> and <c>docs/comparison.md</c>.</summary>
internal static class PeerTables
{
    private const int ReadmeSize = 200;

    private static readonly int[] s_readmeSizes = [16, 200, 4096];

    /// <summary>Writes a table for each number of requests in flight and each size, and the table of the serializers.</summary>
    public static void Write(StringBuilder page, PeerFigures group)
    {
        foreach (var cells in group.Cells.GroupBy(static cell => (cell.InFlight, cell.Size)))
        {
            page.AppendLine(Text($"### {(cells.Key.InFlight == 1 ? "One at a time" : $"{cells.Key.InFlight} in flight")}, {Size(cells.Key.Size)}"));
            page.AppendLine();
            page.AppendLine("| | requests/s | p50, µs | p99, µs | processor time, µs | allocated, B |");
            page.AppendLine("|---|---:|---:|---:|---:|---:|");
            foreach (var cell in cells)
                page.AppendLine(Text($"| {cell.Library.FullName} | {string.Join(" | ", cell.Texts)} |"));
            page.AppendLine();
        }

        page.AppendLine("### Serializers");
        page.AppendLine();
        page.Append(Serializers(group));
        page.AppendLine();
    }

    /// <summary>Returns the short form.</summary>
    public static string Shorten(PeerFigures group, string machine)
    {
        var busy = group.Cells.Where(static cell => cell.InFlight == PeerFigures.Busy).ToList();
        var table = new StringBuilder();
        table.Append(CultureInfo.InvariantCulture, $"| requests in two processes, {PeerFigures.Busy} in flight | {string.Concat(s_readmeSizes.Select(static size => $"{Size(size)}, requests/s | "))}processor time | allocated | p50, one at a time |\n");
        table.Append(CultureInfo.InvariantCulture, $"|---|{string.Concat(s_readmeSizes.Select(static _ => "---:|"))}---:|---:|---:|\n");
        foreach (var library in EchoLibrary.All)
        {
            var rates = s_readmeSizes.Select(size => busy.Single(cell => cell.Library == library && cell.Size == size).Texts[0]);
            var texts = busy.Single(cell => cell.Library == library && cell.Size == ReadmeSize).Texts;
            var single = group.Cells.Single(cell => cell.Library == library && cell.Size == ReadmeSize && cell.InFlight == 1).Texts;
            table.Append(CultureInfo.InvariantCulture, $"| {library.FullName} | {string.Join(" | ", rates)} | {texts[3]} µs | {texts[4]} B | {single[1]} µs |\n");
        }

        table.Append(CultureInfo.InvariantCulture, $"\nProcessor time and allocated bytes are for a request of {ReadmeSize} B, in both processes together. The hand-written socket has request ids, completions and checks, and nothing else.\n\n");
        table.Append(Serializers(group));
        table.Append(CultureInfo.InvariantCulture, $"\n{machine}.\n");
        return table.ToString();
    }

    /// <summary>Returns the table of <c>docs/comparison.md</c>, with a column for each library over a socket.</summary>
    public static string Compare(PeerFigures group)
    {
        var libraries = EchoLibrary.All.Where(static library => library.Role != EchoRole.Floor && library.Transport != EchoLibrary.SharedMemory).ToList();
        var table = new StringBuilder();
        table.Append(CultureInfo.InvariantCulture, $"| | {string.Join(" | ", libraries.Select(static library => library.FullName))} |\n|---|{string.Concat(libraries.Select(static _ => "---:|"))}\n");
        foreach (var size in s_readmeSizes)
            Add($"requests/s of {Size(size)}, {PeerFigures.Busy} in flight", PeerFigures.Busy, size, 0, "");
        Add($"p50 of a request of {Size(ReadmeSize)}, one at a time", 1, ReadmeSize, 1, " µs");
        Add($"processor time of a request of {Size(ReadmeSize)}, {PeerFigures.Busy} in flight", PeerFigures.Busy, ReadmeSize, 3, " µs");
        Add($"allocated by a request of {Size(ReadmeSize)}, {PeerFigures.Busy} in flight", PeerFigures.Busy, ReadmeSize, 4, " B");
        return table.ToString();

        void Add(string name, int inFlight, int size, int column, string unit)
        {
            var texts = libraries.Select(library => group.Cells.Single(cell => cell.Library == library && cell.Size == size && cell.InFlight == inFlight).Texts[column] + unit);
            table.Append(CultureInfo.InvariantCulture, $"| {name} | {string.Join(" | ", texts)} |\n");
        }
    }

    private static string Serializers(PeerFigures group)
    {
        var table = new StringBuilder();
        table.Append("| a player with eight items, tags and scores | bytes | write, ns | read, ns | allocated by a write, B | allocated by a read, B |\n");
        table.Append("|---|---:|---:|---:|---:|---:|\n");
        foreach (var result in group.Serializers)
            table.Append(CultureInfo.InvariantCulture, $"| {result.Name} | {result.Size:N0} | {Figure.Of("", "", result.Writes).Value:N0} | {Figure.Of("", "", result.Reads).Value:N0} | {result.WrittenBytes:N0} | {result.ReadBytes:N0} |\n");
        return table.ToString();
    }

    private static string Size(int bytes) => bytes % 1024 == 0 ? Text($"{bytes / 1024} KiB") : Text($"{bytes} B");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
