using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Reloaded.Messaging.Tool;

/// <summary>Draws the state of a host: its process, its peers, its message types and its counters. Where nothing can be drawn, a line describes the host.</summary>
internal static class WatchTable
{
    private const int MaxRows = 15;

    private static readonly Style s_plot = new(Color.Aqua), s_failures = new(Color.Yellow);

    /// <param name="rates">The state, and the rates since the last display.</param>
    /// <param name="history">The rates of the displays until now, which include <paramref name="rates"/>.</param>
    /// <param name="isUnicode">Whether the terminal knows more than ASCII.</param>
    public static IRenderable Create(WatchedRates rates, RateHistory history, bool isUnicode)
    {
        var now = rates.Now;
        var title = FormattableString.Invariant($"{now.Process} ({now.ProcessId}), {now.Runtime}, up {now.Uptime:hh\\:mm\\:ss}, {ToolConsole.Count(now.PeerCount, "peer")}, {ToolConsole.Count(now.Queued, "message")} queued");
        var counters = string.Join(", ", now.Counters.OrderBy(static one => one.Key, StringComparer.Ordinal).Select(static one => FormattableString.Invariant($"{one.Key} {one.Value:N0}")));
        return new Rows(
            ToolConsole.CreateText(title, new Style(decoration: Decoration.Bold)),
            ToolConsole.CreateText(Describe("received", history.Received, isUnicode), s_plot),
            ToolConsole.CreateText(Describe("sent", history.Sent, isUnicode), s_plot),
            CreatePeers(rates, history, isUnicode),
            CreateTypes(rates),
            counters.Length == 0 ? ToolConsole.CreateText("no failures counted") : ToolConsole.CreateText(counters, s_failures));
    }

    /// <summary>Describes a host in one line, for a file or another program.</summary>
    public static string CreateLine(WatchedRates rates)
    {
        var (now, total) = (rates.Now, rates.Total);
        var counters = string.Concat(now.Counters.OrderBy(static one => one.Key, StringComparer.Ordinal).Select(static one => FormattableString.Invariant($" {one.Key}={one.Value}")));
        return FormattableString.Invariant(
            $"{now.Process} pid={now.ProcessId} uptime={now.Uptime:hh\\:mm\\:ss} peers={now.PeerCount} received={total.Received:F0}/s received-bytes={total.ReceivedBytes:F0}/s sent={total.Sent:F0}/s sent-bytes={total.SentBytes:F0}/s queued={now.Queued} pending-bytes={now.Peers.Sum(static peer => (long)peer.PendingBytes)}{counters}");
    }

    private static string Describe(string direction, IReadOnlyCollection<double> rates, bool isUnicode) =>
        FormattableString.Invariant($"{direction,-8} {Plot.Create(rates, isUnicode).PadLeft(RateHistory.HostLength)} {rates.LastOrDefault():N0}/s, at most {rates.DefaultIfEmpty().Max():N0}/s");

    private static Table CreatePeers(WatchedRates rates, RateHistory history, bool isUnicode)
    {
        var table = AddRateColumns(new Table().AddColumn("peer").AddColumn("name")).AddColumn(Right("both/s")).AddColumn(Right("round trip")).AddColumn(Right("pending"));
        var hasPaths = rates.Peers.Any(static one => one.Peer.CongestionWindow > 0);
        if (hasPaths)
            table.AddColumn(Right("jitter")).AddColumn(Right("loss in/out"));
        foreach (var (peer, rate) in rates.Peers.Take(MaxRows))
            AddRow(table, rate, [Format(peer.Id), peer.Name], [Plot.Create(history.OfPeer(peer.Id), isUnicode), FormattableString.Invariant($"{peer.RoundTripTime.TotalMilliseconds:F2} ms"), Bytes(peer.PendingBytes), .. hasPaths ? DescribePath(peer) : []]);
        return Shorten(table, rates.Peers.Count, "peers");
    }

    /// <summary>Returns the jitter and the losses of a path over datagrams, which is known once the window is not 0.</summary>
    private static string[] DescribePath(InspectedPeer peer) => peer.CongestionWindow == 0
        ? ["", ""]
        : [FormattableString.Invariant($"{peer.Jitter.TotalMilliseconds:F2} ms"), FormattableString.Invariant($"{peer.ReceivedLossShare:P1} / {peer.SentLossShare:P1}")];

    private static Table CreateTypes(WatchedRates rates)
    {
        var table = AddRateColumns(new Table().AddColumn("type").AddColumn("name")).AddColumn(Right("received")).AddColumn(Right("sent"));
        foreach (var (type, rate) in rates.Types.OrderByDescending(static one => one.Rate.Received + one.Rate.Sent).Take(MaxRows))
            AddRow(table, rate, [type.Type.ToString(CultureInfo.InvariantCulture), type.Name], [Format(type.Received), Format(type.Sent)]);
        return Shorten(table, rates.Types.Count, "types");
    }

    private static Table AddRateColumns(Table table) => table.AddColumn(Right("received/s")).AddColumn(Right("bytes/s")).AddColumn(Right("sent/s")).AddColumn(Right("bytes/s")).Border(TableBorder.Simple);

    private static void AddRow(Table table, TrafficRate rate, string[] start, string[] end) =>
        table.AddRow([.. new[] { start[0], start[1], Format(rate.Received), Bytes(rate.ReceivedBytes), Format(rate.Sent), Bytes(rate.SentBytes) }.Concat(end).Select(static cell => ToolConsole.CreateText(cell))]);

    private static Table Shorten(Table table, int count, string things) =>
        count > MaxRows ? table.Caption(FormattableString.Invariant($"{count - MaxRows} more {things}")) : table;

    private static TableColumn Right(string header) => new TableColumn(header).RightAligned();

    private static string Format(double number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private static string Bytes(double bytes) => bytes switch
    {
        < 10_000 => FormattableString.Invariant($"{bytes:F0} B"),
        < 10_000_000 => FormattableString.Invariant($"{bytes / 1000:F0} kB"),
        _ => FormattableString.Invariant($"{bytes / 1_000_000:F0} MB"),
    };
}
