using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A task that several libraries do, with a result for each. A plot shows one task.</summary>
/// <param name="Work">The task, as a phrase for the reader.</param>
/// <param name="Unit">The unit of the results, for the reader.</param>
/// <param name="IsTime">Whether a lower result is faster.</param>
/// <param name="Results">The results. This library is the first.</param>
internal sealed record PlotTask(string Work, string Unit, bool IsTime, IReadOnlyList<(string Library, double Value)> Results)
{
    private const string Ours = "this library";

    // The figures that are plotted beside the comparisons with other libraries, each with its alternative.
    private static readonly (string Figure, string Work, string Alternative)[] s_figures =
    [
        ("dispatch.one", "dispatch a struct, one type", "an array of delegates"),
        ("dispatch.eight", "dispatch structs, eight types mixed", "an array of delegates"),
        ("append", "append a struct to a batch", "a buffer by hand"),
        ("append.all", "append many structs in one call", "storing the bytes by hand"),
        ("pack", "pack a struct and release it", "ArrayPool by hand"),
        ("contract.roundtrip", "pack, dispatch and read a mod configuration with JSON", "System.Text.Json"),
        ("echo.tcp.pipelined", "requests over TCP, two connections with 64 in flight each", "System.IO.Pipelines"),
        ("echo.unix.pipelined", "requests over a Unix socket, two connections with 64 in flight each", "System.IO.Pipelines"),
        ("echo.tcp.pingpong", "request over TCP, one at a time", "plain sockets"),
        ("echo.unix.pingpong", "request over a Unix socket, one at a time", "plain sockets"),
        ("echo.pipe.pingpong", "request over a named pipe, one at a time", "plain pipes"),
        ("echo.tcp.window", "requests over TCP, 64 connections with 255 in flight each", "sockets by hand"),
        ("oneway.unix", "events over a Unix socket", "frames by hand"),
        ("broadcast", "broadcast to 100 peers", "a send to each peer"),
        ("shm.pingpong", "request through shared memory", "bare rings"),
        ("shm.oneway", "events through shared memory", "bare rings"),
        ("udp.pingpong", "request over UDP", "plain sockets"),
        ("udp.protected.pingpong", "request over UDP, encrypted", "plain sockets, not encrypted"),
        ("udp.encrypt", "encrypt a datagram", "AES-GCM of the framework"),
        ("reader", "read a packet and call its handler", "a game server's own code"),
        ("queue.old.threads", "queue between two threads", "a game server's own code"),
        ("tracking.idle.200", "update of 200 creatures, none changed", "a game server's own code"),
        ("tracking.tenth.200", "update of 200 creatures, a tenth changed", "a game server's own code"),
        ("tracking.active.200", "update of 200 creatures, all changed", "a game server's own code"),
        ("streams.pack", "pack into a new recyclable stream", "buffers of this library"),
        ("streams.pack-again", "pack into the same recyclable stream", "buffers of this library"),
        ("litenet.pingpong", "request over LiteNetLib", "plain UDP sockets"),
        ("k4os.encode", "compress with K4os", "liblz4"),
        ("k4os.decode", "decompress with K4os", "liblz4"),
    ];

    /// <summary>The name of the file of the plot.</summary>
    public string File => Regex.Replace(Work.ToLowerInvariant(), @"\W+", "-").Trim('-') + ".svg";

    /// <summary>The title of the plot.</summary>
    public string Title => $"{char.ToUpperInvariant(Work[0])}{Work[1..]}";

    /// <summary>The results in words, for readers who do not see the plot.</summary>
    public string Description => $"{Title}, in {Unit}: {string.Join("; ", Results.Select(static result => $"{result.Library} {Format(result.Value)}"))}";

    /// <summary>Whether a result is one of this library.</summary>
    public static bool IsOurs(string library) => library.StartsWith(Ours, StringComparison.Ordinal);

    /// <summary>Returns a number with at least three digits.</summary>
    public static string Format(double value) => value.ToString(value >= 100 ? "N0" : value >= 10 ? "N1" : "N2", CultureInfo.InvariantCulture);

    /// <summary>Returns the tasks of a part: its comparisons with other libraries, and the plotted figures that it has.</summary>
    /// <param name="part">The part.</param>
    /// <param name="plotted">More figures to plot.</param>
    public static List<PlotTask> Of(ReportPart part, IReadOnlyList<(string Figure, string Work, string Alternative)> plotted)
    {
        if (part.Figures is not { } figures)
            return [];
        if (part.Name == PeerTables.Group)
            return PeerTables.Plot(part);

        var rows = new List<(string Work, string Unit, string Ours, string Alternative, string Theirs)>();
        if (part.Sections.Any(static section => section.Heading == ReportPart.Others))
            rows.AddRange(part[ReportPart.Others].Rows.Select(static row => (row[0], row[1], row[2], row[3], row[4])));
        foreach (var (name, work, alternative) in s_figures.Concat(plotted))
        {
            var end = figures.Find($"`{name}.ns`", "value") is null ? "rate" : "ns";
            if (figures.Find($"`{name}.{end}`", "value") is { } ours && figures.Find($"`{name}.floor.{end}`", "value") is { } theirs)
                rows.Add((work, figures[$"`{name}.{end}`", "unit"], ours, alternative, theirs));
        }

        return [.. rows.GroupBy(static row => (row.Work, row.Unit, row.Ours)).Select(static task =>
            new PlotTask(task.Key.Work, Name(task.Key.Unit), task.Key.Unit == "ns", [(Ours, Number(task.Key.Ours)), .. task.Select(static row => (row.Alternative, Number(row.Theirs)))]))];
    }

    /// <summary>Returns the task of a table whose rows are libraries.</summary>
    public static PlotTask Of(string work, string unit, bool isTime, ReportTable table, string column) =>
        new(work, unit, isTime, [.. table.Rows.Select(row => (row[0], Number(table[row[0], column])))]);

    private static double Number(string text) => double.Parse(text, NumberStyles.Number, CultureInfo.InvariantCulture);

    private static string Name(string unit) => unit switch { "ns" => "nanoseconds", "messages/s" => "messages a second", _ => unit };
}
