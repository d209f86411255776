using System.Globalization;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The plots of the group <c>peers</c>, and its short form for <c>docs/comparison.md</c>, from the tables of the report.</summary>
internal static class PeerTables
{
    /// <summary>The name of the group.</summary>
    public const string Group = "peers";

    /// <summary>The heading of the table with the requests of README and of most targets.</summary>
    public const string Busy = "100 in flight, 200 B";

    /// <summary>The heading of the table with a latency without other requests.</summary>
    public const string Idle = "One at a time, 200 B";

    /// <summary>The heading of the table of the serializers.</summary>
    public const string Serializers = "Serializers";

    /// <summary>Returns the plotted tasks. The first is the plot of README.</summary>
    public static List<PlotTask> Plot(ReportPart part) =>
    [
        PlotTask.Of("requests of 200 B, 100 in flight", "requests a second", isTime: false, part[Busy], "requests/s"),
        PlotTask.Of("request of 200 B, one at a time", "microseconds (median)", isTime: true, part[Idle], "p50, µs"),
        PlotTask.Of("processor time of a request of 200 B, 100 in flight", "microseconds", isTime: true, part[Busy], "processor time, µs"),
        PlotTask.Of("requests of 4 KiB, 100 in flight", "requests a second", isTime: false, part["100 in flight, 4 KiB"], "requests/s"),
        PlotTask.Of("write a player with eight items, tags and scores", "nanoseconds", isTime: true, part[Serializers], "write, ns"),
        PlotTask.Of("read a player with eight items, tags and scores", "nanoseconds", isTime: true, part[Serializers], "read, ns"),
    ];

    /// <summary>Returns the table of <c>docs/comparison.md</c>, with a column for each library over a socket.</summary>
    public static string Compare(ReportPart part)
    {
        var libraries = part[Busy].Rows.Select(static row => row[0]).Where(static name => !name.StartsWith("hand-written", StringComparison.Ordinal) && !name.EndsWith("(shared memory)", StringComparison.Ordinal)).ToList();
        var table = new StringBuilder();
        table.Append(CultureInfo.InvariantCulture, $"| figure | {string.Join(" | ", libraries)} |\n|---|{string.Concat(libraries.Select(static _ => "---:|"))}\n");
        foreach (var size in new[] { "16 B", "200 B", "4 KiB" })
            Add($"requests/s of {size}, 100 in flight", $"100 in flight, {size}", "requests/s", "");
        Add("p50 of a request of 200 B, one at a time", Idle, "p50, µs", " µs");
        Add("processor time of a request of 200 B, 100 in flight", Busy, "processor time, µs", " µs");
        Add("allocated by a request of 200 B, 100 in flight", Busy, "allocated, B", " B");
        return table.ToString();

        void Add(string name, string heading, string column, string unit) =>
            table.Append(CultureInfo.InvariantCulture, $"| {name} | {string.Join(" | ", libraries.Select(library => part[heading][library, column] + unit))} |\n");
    }
}
