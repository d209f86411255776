using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The tables of figures in <c>README.md</c> and <c>docs/comparison.md</c>, each between two comments.</summary>
internal static class ReadmeTable
{
    private const string End = "<!-- End of the written part. -->\n";
    private const string Core = "## Packing, dispatching and queueing: group core";
    private const string Peers = "## Other libraries: group peers";
    private const string Busy = "### 100 in flight, 200 B";

    /// <summary>Replaces a table.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="groups">The names of the groups of figures, which the first comment has.</param>
    /// <param name="table">The new table.</param>
    public static void Write(string path, string groups, string table)
    {
        var text = File.ReadAllText(path);
        var line = $"<!-- Written by `report {groups}`. -->\n";
        var start = text.IndexOf(line, StringComparison.Ordinal);
        var end = start < 0 ? -1 : text.IndexOf(End, start, StringComparison.Ordinal);
        if (end < 0)
            throw new InvalidDataException($"'{path}' has no part between the lines '{line.Trim()}' and '{End.Trim()}'. Restore the two lines.");
        File.WriteAllText(path, text[..(start + line.Length)] + table + text[end..]);
    }

    /// <summary>Returns the table of <c>README.md</c>. Its values are those of the report.</summary>
    /// <param name="report">The text of <c>docs/benchmarks/README.md</c>.</param>
    public static string Draw(string report)
    {
        var table = new StringBuilder();
        table.Append("| work | this library | allocated | compared with | its result |\n|---|---:|---:|---|---:|\n");
        AddFigure("dispatch a message to a typed handler", "dispatch.one", "dispatch.alloc", "a call through an array of delegates");
        AddFigure("append a message to a batch", "append", "append.alloc", "a buffer with lengths and checks");
        AddFigure("pack a message and release it", "pack", "pack.alloc", "renting, storing and returning an array");
        AddFigure("queue, pump and dispatch a message", "queue", "queue.alloc", "`System.Threading.Channels`");
        Add("serialize a player with eight items", "### Serializers", "write, ns", " ns", "allocated by a write, B", "this library", "MemoryPack", "MemoryPack");
        AddRequests("over TCP", "this library (TCP)", "hand-written socket (TCP)", "a hand-written socket");
        AddRequests("over TCP", "this library (TCP)", "SignalR, MessagePack (TCP)", "SignalR with MessagePack");
        AddRequests("over a Unix socket", "this library (Unix socket)", "gRPC (Unix socket)", "gRPC");
        table.Append(CultureInfo.InvariantCulture, $"\n{string.Join("; ", new[] { Core, Peers }.Select(group => Find(report, group).Trim().Split(". ")[0]).Distinct())}.\n");
        return table.ToString();

        void AddFigure(string work, string figure, string allocated, string other) =>
            AddRow(work, Value($"{figure}.ns") + " ns", Value(allocated), other, Value($"{figure}.floor.ns") + " ns");

        void AddRequests(string transport, string ours, string theirs, string other) =>
            Add($"requests of 200 B {transport}", Busy, "requests/s", " a second", "allocated, B", ours, theirs, other);

        void Add(string work, string heading, string column, string unit, string allocated, string ours, string theirs, string other) =>
            AddRow(work, Cell(report, heading, ours, column) + unit, Cell(report, heading, ours, allocated), other, Cell(report, heading, theirs, column) + unit);

        void AddRow(string work, string ours, string allocated, string other, string theirs) =>
            table.Append(CultureInfo.InvariantCulture, $"| {work} | {ours} | {double.Parse(allocated, CultureInfo.InvariantCulture):0.##} B | {other} | {theirs} |\n");

        string Value(string figure) => Cell(report, Core, $"`{figure}`", "value");
    }

    /// <summary>Returns a cell of the first table after a heading. The first column has the names of the rows.</summary>
    private static string Cell(string report, string heading, string row, string column)
    {
        var lines = Find(report, heading).Split('\n').SkipWhile(static line => !line.StartsWith('|')).TakeWhile(static line => line.StartsWith('|'))
            .Select(static line => Array.ConvertAll(line.Trim('|').Split('|'), static cell => cell.Trim())).ToList();
        var at = lines.Count > 0 ? Array.IndexOf(lines[0], column) : -1;
        return at > 0 && lines.Find(cells => cells[0] == row) is { } found ? found[at] : throw new InvalidDataException($"The table after '{heading}' has no row '{row}' with a column '{column}'.");
    }

    private static string Find(string report, string heading)
    {
        var start = report.IndexOf(heading + "\n", StringComparison.Ordinal);
        return start >= 0 ? report[(start + heading.Length)..] : throw new InvalidDataException($"The report has no heading '{heading}'. Measure its group.");
    }
}
