using System.Globalization;
using System.IO;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Links;

/// <summary>Group <c>paths</c>: reliable events over emulated paths with a delay, losses and a rate, by UDP, LiteNetLib and TCP of the system.</summary>
public sealed class PathFigures(Action<Figure> print) : FigureGroup(print)
{
    private const double Seconds = 8;
    private const double SharedSeconds = 20;
    private const string ControlFile = "/proc/sys/net/ipv4/tcp_congestion_control";

    private static readonly TimeSpan s_roundTrip = TimeSpan.FromMilliseconds(50);

    /// <summary>A path whose queue contains the bytes of one round trip.</summary>
    private static readonly LinkOptions s_shared = new("10mbit", s_roundTrip, 0, 10e6, 62_500);

    private static readonly LinkOptions[] s_links =
    [
        new("50ms", s_roundTrip, 0, 1e9, 4 << 20),
        new("50ms.loss1", s_roundTrip, 0.01, 1e9, 4 << 20),
        new("50ms.loss5", s_roundTrip, 0.05, 1e9, 4 << 20),
        new("1mbit", s_roundTrip, 0, 1e6, 20_000),
        new("256kbit", s_roundTrip, 0, 256e3, 200_000),
        new("100mbit-to-1mbit", s_roundTrip, 0, 1e6, 20_000) { Before = new("100mbit", s_roundTrip, 0, 100e6, 600_000) },
        new("50ms-to-300ms", TimeSpan.FromMilliseconds(300), 0, 20e6, 200_000) { Before = new("50ms", s_roundTrip, 0, 20e6, 200_000) },
        new("jitter", s_roundTrip, 0, 20e6, 200_000) { Jitter = TimeSpan.FromMilliseconds(60) },
        new("queue2s", s_roundTrip, 0, 2e6, 500_000),
        new("loss20", s_roundTrip, 0.2, 10e6, 62_500),
    ];

    public override string Method =>
        "Reliable ordered events of 1,000 bytes between two processes in two network namespaces, all encrypted by `Protection`, over a path with a round trip of 50 ms. Two seconds after the start, 8 seconds are measured. A path with two rates or round trips changes two seconds after its first packet. `jitter` delays each packet by up to 60 ms more, in order; `queue2s` carries 2 Mbit/s, and `loss20` 10 Mbit/s. " +
        "On `10mbit`, two connections send at the same time for 20 seconds, by UDP both or one of them by TCP; the share is that of the first. " +
        "The waits are the median times of requests beside these events. By LiteNetLib and TCP, a request waits behind at most 64 KiB of events in the host; by UDP, the events are ordered by their type. TCP is that of the system, whose congestion control is " + Control + ".";

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

        await ShareAsync("two", PathPeer.Ours);
        await ShareAsync("beside-tcp", PathPeer.Tcp);
    }

    /// <summary>Measures the share of one connection while another one sends over the same path.</summary>
    private async Task ShareAsync(string name, string other)
    {
        using var link = new EmulatedLink(s_shared);
        var rates = await Task.WhenAll(Task.Run(() => TransferAsync(link, PathPeer.Ours, SharedSeconds)), Task.Run(() => TransferAsync(link, other, SharedSeconds)));
        Report($"paths.{s_shared.Name}.{name}.rate", "MB/s", [(rates[0].Rate + rates[1].Rate) / 1e6]);
        Report($"paths.{s_shared.Name}.{name}.share", "ratio", [rates[0].Rate / (rates[0].Rate + rates[1].Rate)]);
    }

    /// <returns>The bytes per second.</returns>
    private async Task<double> RunAsync(EmulatedLink link, LinkOptions options, string kind)
    {
        var (rate, wait) = await TransferAsync(link, kind, Seconds);
        Report($"paths.{options.Name}.{kind}.rate", "MB/s", [rate / 1e6]);
        if (!double.IsNaN(wait))
            Report($"paths.{options.Name}.{kind}.wait", "ms", [wait]);
        return rate;
    }

    /// <returns>The bytes per second, and the median wait of requests in milliseconds; not a number if no request ended.</returns>
    private static async Task<(double Rate, double Wait)> TransferAsync(EmulatedLink link, string kind, double seconds)
    {
        link.Begin();
        using var server = OtherProcess.StartIn(link.Namespaces[1], PathPeer.ServerVerb, kind, seconds.ToString(CultureInfo.InvariantCulture));
        using var client = OtherProcess.StartIn(link.Namespaces[0], PathPeer.ClientVerb, kind, await server.ReadAsync());
        var rate = double.Parse(await server.ReadAsync(), CultureInfo.InvariantCulture);
        return (rate, double.Parse(await client.AskAsync(""), CultureInfo.InvariantCulture));
    }
}
