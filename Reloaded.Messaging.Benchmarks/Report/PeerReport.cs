using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The tables of the measured group <c>peers</c>: one for each number of requests in flight and each size, and one for the serializers.</summary>
internal static class PeerReport
{
    private static readonly string[] s_columns = ["library", "requests/s", "p50, µs", "p99, µs", "processor time, µs", "allocated, B"];
    private static readonly string[] s_serializerColumns = ["a player with eight items, tags and scores", "bytes", "write, ns", "read, ns", "allocated by a write, B", "allocated by a read, B"];
    private static readonly string[] s_alignments = ["---", "---:", "---:", "---:", "---:", "---:"];

    public static IEnumerable<ReportSection> Of(PeerFigures group) =>
    [
        .. group.Table.GroupBy(static cell => (cell.InFlight, cell.Size)).Select(static cells => new ReportSection(
            $"{(cells.Key.InFlight == 1 ? "One at a time" : Text($"{cells.Key.InFlight} in flight"))}, {Size(cells.Key.Size)}", "", new ReportTable(s_columns, s_alignments, [.. cells.Select(static cell => (string[])[cell.Library.FullName, .. cell.Texts])]))),
        new ReportSection(PeerTables.Serializers, "", new ReportTable(s_serializerColumns, s_alignments, [.. group.Serializers.Select(static result => new[]
        {
            result.Name, Text($"{result.Size:N0}"), Text($"{Figure.Of("", "", result.Writes).Value:N0}"), Text($"{Figure.Of("", "", result.Reads).Value:N0}"), Text($"{result.WrittenBytes:N0}"), Text($"{result.ReadBytes:N0}"),
        })])),
    ];

    private static string Size(int bytes) => bytes % 1024 == 0 ? Text($"{bytes / 1024} KiB") : Text($"{bytes} B");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
