using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The tables of the group <c>peers</c>: all results for the report, and the short form for <c>docs/comparison.md</c>.</summary>
internal static class PeerTables
{
    private const int ComparedSize = 200;

    private static readonly int[] s_comparedSizes = [16, 200, 4096];

    /// <summary>Writes a table for each number of requests in flight and each size, and the table of the serializers.</summary>
    public static void Write(StringBuilder page, PeerFigures group)
    {
        foreach (var cells in group.Table.GroupBy(static cell => (cell.InFlight, cell.Size)))
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
        page.AppendLine("| a player with eight items, tags and scores | bytes | write, ns | read, ns | allocated by a write, B | allocated by a read, B |");
        page.AppendLine("|---|---:|---:|---:|---:|---:|");
        foreach (var result in group.Serializers)
            page.AppendLine(Text($"| {result.Name} | {result.Size:N0} | {Figure.Of("", "", result.Writes).Value:N0} | {Figure.Of("", "", result.Reads).Value:N0} | {result.WrittenBytes:N0} | {result.ReadBytes:N0} |"));
        page.AppendLine();
    }

    /// <summary>Returns the table of <c>docs/comparison.md</c>, with a column for each library over a socket.</summary>
    public static string Compare(PeerFigures group)
    {
        var libraries = EchoLibrary.All.Where(static library => library.Role != EchoRole.Floor && library.Transport != EchoLibrary.SharedMemory).ToList();
        var table = new StringBuilder();
        table.Append(CultureInfo.InvariantCulture, $"| | {string.Join(" | ", libraries.Select(static library => library.FullName))} |\n|---|{string.Concat(libraries.Select(static _ => "---:|"))}\n");
        foreach (var size in s_comparedSizes)
            Add($"requests/s of {Size(size)}, {PeerFigures.Busy} in flight", PeerFigures.Busy, size, 0, "");
        Add($"p50 of a request of {Size(ComparedSize)}, one at a time", 1, ComparedSize, 1, " µs");
        Add($"processor time of a request of {Size(ComparedSize)}, {PeerFigures.Busy} in flight", PeerFigures.Busy, ComparedSize, 3, " µs");
        Add($"allocated by a request of {Size(ComparedSize)}, {PeerFigures.Busy} in flight", PeerFigures.Busy, ComparedSize, 4, " B");
        return table.ToString();

        void Add(string name, int inFlight, int size, int column, string unit)
        {
            var texts = libraries.Select(library => group.Table.Single(cell => cell.Library == library && cell.Size == size && cell.InFlight == inFlight).Texts[column] + unit);
            table.Append(CultureInfo.InvariantCulture, $"| {name} | {string.Join(" | ", texts)} |\n");
        }
    }

    private static string Size(int bytes) => bytes % 1024 == 0 ? Text($"{bytes / 1024} KiB") : Text($"{bytes} B");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
