using System;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Links;

/// <summary>Group <c>paths</c>: reliable events over emulated paths with a delay, losses and a rate, by UDP, LiteNetLib and TCP of the system.</summary>
public sealed class PathFigures(Action<Figure> print) : FigureGroup(print)
{
    private const double Seconds = 8;
    private const string ControlFile = "/proc/sys/net/ipv4/tcp_congestion_control";

    private static readonly TimeSpan s_roundTrip = TimeSpan.FromMilliseconds(50);

    private static readonly LinkOptions[] s_links =
    [
        new("50ms", s_roundTrip, 0, 1e9, 4 << 20),
        new("50ms.loss1", s_roundTrip, 0.01, 1e9, 4 << 20),
        new("50ms.loss5", s_roundTrip, 0.05, 1e9, 4 << 20),
        new("1mbit", s_roundTrip, 0, 1e6, 20_000),
        new("256kbit", s_roundTrip, 0, 256e3, 200_000),
    ];

    public override string Method =>
        "Reliable ordered events of 1,000 bytes between two processes in two network namespaces, all encrypted by `Protection`, over a path with a round trip of 50 ms. Two seconds after the start, 8 seconds are measured. " +
        "The waits are the median times of requests beside these events, which wait behind at most 64 KiB of events in the host. TCP is that of the system, whose congestion control is " + Control + ".";

    /// <summary>The congestion control of TCP.</summary>
    private static string Control => File.Exists(ControlFile) ? File.ReadAllText(ControlFile).Trim() : "not known";

    public override void Measure()
    {
        if (OnlyAllocations)
            return;
        Skipped = EmulatedLink.Missing;
        if (Skipped is null)
            MeasureAsync().GetAwaiter().GetResult();
    }

    private async Task MeasureAsync()
    {
        foreach (var options in s_links)
        {
            using var link = new EmulatedLink(options);
            var ours = await RunAsync(link, options, PathPeer.Ours);
            Report($"paths.{options.Name}.of-tcp", "ratio", [ours / await RunAsync(link, options, PathPeer.Tcp)]);
            Report($"paths.{options.Name}.of-litenet", "ratio", [ours / await RunAsync(link, options, PathPeer.LiteNet)]);
        }
    }

    /// <returns>The bytes per second.</returns>
    private async Task<double> RunAsync(EmulatedLink link, LinkOptions options, string kind)
    {
        using var server = OtherProcess.StartIn(link.Namespaces[1], PathPeer.ServerVerb, kind, Seconds.ToString(CultureInfo.InvariantCulture));
        using var client = OtherProcess.StartIn(link.Namespaces[0], PathPeer.ClientVerb, kind, await server.ReadAsync());
        var rate = double.Parse(await server.ReadAsync(), CultureInfo.InvariantCulture);
        var wait = double.Parse(await client.AskAsync(""), CultureInfo.InvariantCulture);
        Report($"paths.{options.Name}.{kind}.rate", "MB/s", [rate / 1e6]);
        if (!double.IsNaN(wait))
            Report($"paths.{options.Name}.{kind}.wait", "ms", [wait]);
        return rate;
    }
}
