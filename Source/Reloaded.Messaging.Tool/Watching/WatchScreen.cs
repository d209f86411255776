using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Draws the state of a host on the screen: the head with the process and its rates, a panel, and the keys.</summary>
/// <param name="frame">The frame, which is filled.</param>
/// <param name="rates">The state, and the rates since the last display.</param>
/// <param name="history">The rates of the displays until now, which include <paramref name="rates"/>.</param>
/// <param name="view">What the user has chosen to see.</param>
internal sealed class WatchScreen(ScreenFrame frame, WatchedRates rates, RateHistory history, WatchView view)
{
    private const int RateWidth = 8, ByteWidth = 9, TimeWidth = 10, LossWidth = 13, PlotWidth = 12, MinName = 24;

    /// <summary>Below this number of lines, the head has two lines, and there are no empty lines and titles.</summary>
    private const int LowHeight = 12;

    private readonly bool _isLow = frame.Left < LowHeight;

    private HostInspection Now => rates.Now;

    /// <summary>Fills the frame.</summary>
    /// <param name="note">What the user has to know about the state, such as its age; <c>null</c> for nothing.</param>
    public void Draw(string? note)
    {
        AddHead(note);
        if (!_isLow)
            frame.Add("");
        switch (view.Panel)
        {
            case WatchPanel.Peers:
                AddPeers();
                break;
            case WatchPanel.Types:
                AddTypes(frame.Left - TitleLines - 1, isScrolled: true);
                break;
            default:
                AddCounters();
                break;
        }

        AddKeys(frame, view);
    }

    /// <summary>Adds the keys as the last line.</summary>
    public static void AddKeys(ScreenFrame frame, WatchView view)
    {
        frame.SkipTo(1);
        var move = frame.IsUnicode ? "↑↓" : "up/down";
        string[] keys = view.IsDetail ? ["q end", "Esc back", $"{move} other peer"]
            : view.Panel == WatchPanel.Peers ? ["q end", "Tab types", "s sort", $"{move} select", "Enter details"]
            : ["q end", view.Panel == WatchPanel.Types ? "Tab counters" : "Tab peers", $"{move} scroll"];
        frame.Add(TakeParts(keys, frame.Width), Ink.Dim);
    }

    private int TitleLines => _isLow ? 1 : 2;

    /// <summary>Returns the first parts that fit, with two spaces between them.</summary>
    private static string TakeParts(IEnumerable<string> parts, int width)
    {
        var text = "";
        foreach (var part in parts)
        {
            var longer = text.Length == 0 ? part : $"{text}  {part}";
            if (CellText.Measure(longer) > width && text.Length > 0)
                break;
            text = longer;
        }

        return text;
    }

    private static string PadLeft(string text, int width) => new string(' ', Math.Max(0, width - CellText.Measure(text))) + text;

    private static string PadRight(string text, int width) => text + new string(' ', Math.Max(0, width - CellText.Measure(text)));

    private static string DescribeLoss(InspectedPeer peer) => FormattableString.Invariant($"{peer.ReceivedLossShare * 100:F1} / {peer.SentLossShare * 100:F1} %");

    private static string NameOf(string name, string missing) => CellText.Clean(name) is var clean && string.IsNullOrWhiteSpace(clean) || CellText.Measure(clean) == 0 ? missing : clean;

    private void AddHead(string? note)
    {
        const int MinProcess = 12;
        string[] parts = [FormattableString.Invariant($"pid {Now.ProcessId}"), $"up {Timeline.Format(Now.Uptime)}", ToolConsole.Count(Now.PeerCount, "peer"), $"{Now.Queued.ToString(CultureInfo.InvariantCulture)} queued", CellText.Clean(Now.Runtime)];
        var rest = TakeParts(parts, Math.Max(0, frame.Width - MinProcess - 2));
        var width = frame.Width - CellText.Measure(rest) - 2;
        if (width < MinProcess)
            (rest, width) = ("", frame.Width);
        frame.Add($"{CellText.Cut(NameOf(Now.Process, "(no name)"), width, frame.IsUnicode)}  {rest}", Ink.Bold);
        if (_isLow)
        {
            frame.Add(note ?? $"received {WatchNumber.Count(rates.Total.Received)}/s, sent {WatchNumber.Count(rates.Total.Sent)}/s", note is null ? Ink.Plain : Ink.Warning);
            return;
        }

        AddRate("received", history.Received, rates.Total.ReceivedBytes);
        AddRate("sent", history.Sent, rates.Total.SentBytes);
        var inspecting = rates.Peers.Count(static one => one.Peer.IsInspector);
        frame.Add(FormattableString.Invariant($"inspections, not counted above: {WatchNumber.Count(rates.Inspections.Messages)}/s, {WatchNumber.Bytes(rates.Inspections.Bytes)}/s, {ToolConsole.Count(inspecting, "peer")}"), Ink.Dim);
        if (note is not null)
            frame.Add(note, Ink.Warning);
        else if (Now.Counters.Count == 0)
            frame.Add("no failures counted");
        else
            frame.Add(string.Join(", ", SortCounters().Select(static one => FormattableString.Invariant($"{one.Key} {one.Value:N0}"))), Ink.Warning);
    }

    private IEnumerable<KeyValuePair<string, long>> SortCounters() => Now.Counters.OrderBy(static one => one.Key, StringComparer.Ordinal);

    private void AddRate(string direction, IReadOnlyCollection<double> numbers, double bytes)
    {
        const int MinPlot = 8, Label = 10;
        string[] parts = [$"{PadLeft(WatchNumber.Count(numbers.LastOrDefault()), RateWidth)}/s", $"{PadLeft(WatchNumber.Bytes(bytes), ByteWidth)}/s", $"at most {WatchNumber.Count(numbers.DefaultIfEmpty().Max())}/s"];
        var text = TakeParts(parts, frame.Width - Label - MinPlot - 2);
        var length = Math.Min(RateHistory.Length, frame.Width - Label - text.Length - 2);
        frame.Add(
            (PadRight(direction, Label), Ink.Plain),
            (text, Ink.Plain),
            (length < MinPlot ? "" : $"  {DrawPlot(numbers, length)}", Ink.Plot));
    }

    private string DrawPlot(IReadOnlyCollection<double> numbers, int length) => Plot.Create([.. numbers.TakeLast(length)], frame.IsUnicode);

    private void AddPeers()
    {
        var sorted = view.Order.Sort(rates);
        view.SetPeers([.. sorted.Select(static one => one.Peer.Id)]);
        if (view.IsDetail)
        {
            AddDetail(sorted);
            return;
        }

        var (peers, types) = Divide(sorted.Count, rates.Types.Count, frame.Left - 1);
        var first = view.Scroll(sorted.Count, peers);
        AddTitle("peers", sorted.Count, first, peers, $"by {view.Order.Describe()}");
        var hasPaths = sorted.Exists(static one => one.Peer.CongestionWindow > 0);
        List<WatchColumn<(InspectedPeer Peer, TrafficRate Rate)>> columns =
        [
            new("in/s", RateWidth, static one => WatchNumber.Count(one.Rate.Received)),
            new("out/s", RateWidth, static one => WatchNumber.Count(one.Rate.Sent)),
            new("round trip", TimeWidth, static one => WatchNumber.Time(one.Peer.RoundTripTime)),
        ];
        if (hasPaths)
        {
            columns.Add(new("loss in/out", LossWidth, static one => one.Peer.CongestionWindow == 0 ? "" : DescribeLoss(one.Peer)));
            columns.Add(new("jitter", TimeWidth, static one => one.Peer.CongestionWindow == 0 ? "" : WatchNumber.Time(one.Peer.Jitter)));
        }

        columns.Add(new("bytes/s", ByteWidth, static one => WatchNumber.Bytes(one.Rate.Bytes)));
        columns.Add(new("pending", ByteWidth, static one => WatchNumber.Bytes(one.Peer.PendingBytes)));
        columns.Add(new("messages/s", PlotWidth, one => DrawPlot(history.OfPeer(one.Peer.Id), PlotWidth)));
        AddTable(
            sorted.GetRange(first, Math.Min(peers, sorted.Count - first)),
            ("peer", static one => one.Peer.Id.ToString(CultureInfo.InvariantCulture)),
            (static one => (one.Peer.IsInspector ? "(inspects) " : "") + NameOf(one.Peer.Name, "(no name)"), false),
            columns,
            one => one.Peer.Id == view.Selected ? Ink.Selected : one.Peer.IsInspector ? Ink.Dim : Ink.Plain);
        if (types <= 0)
            return;
        frame.Add("");
        AddTypes(types, isScrolled: false);
    }

    /// <summary>Returns the numbers of peers and of types that are shown. A third of the lines is for types, and what one table does not need is for the other.</summary>
    private (int Peers, int Types) Divide(int peers, int types, int lines)
    {
        const int MinBoth = 14; // lines
        var rows = lines - TitleLines;
        if (_isLow || types == 0 || lines < MinBoth)
            return (Math.Max(0, rows), 0);
        rows -= TitleLines + 1;
        var shownTypes = Math.Min(types, Math.Max(rows / 3, rows - peers));
        return (rows - shownTypes, shownTypes);
    }

    private void AddTypes(int rows, bool isScrolled)
    {
        var first = isScrolled ? view.Scroll(rates.Types.Count, rows) : 0;
        AddTitle("types", rates.Types.Count, first, rows, "by messages/s");
        AddTable(
            [.. rates.Types.Skip(first).Take(rows)],
            ("type", static one => one.Type.Type.ToString(CultureInfo.InvariantCulture)),
            (static one => NameOf(one.Type.Name, "(not announced)"), true),
            [
                new("in/s", RateWidth, static one => WatchNumber.Count(one.Rate.Received)),
                new("out/s", RateWidth, static one => WatchNumber.Count(one.Rate.Sent)),
                new("bytes/s", ByteWidth, static one => WatchNumber.Bytes(one.Rate.Bytes)),
                new("all in", RateWidth, static one => WatchNumber.Count(one.Type.Received)),
                new("all out", RateWidth, static one => WatchNumber.Count(one.Type.Sent)),
            ],
            static _ => Ink.Plain);
    }

    private void AddCounters()
    {
        var rows = frame.Left - TitleLines;
        var first = view.Scroll(Now.Counters.Count, rows);
        AddTitle("counters", Now.Counters.Count, first, rows, "since the start of the host");
        foreach (var (name, value) in SortCounters().Skip(first).Take(rows))
            frame.Add($"{PadLeft(value.ToString("N0", CultureInfo.InvariantCulture), TimeWidth)}  {name}");
    }

    private void AddTitle(string things, int count, int first, int rows, string order)
    {
        if (_isLow)
            return;
        var shown = count > rows && rows > 0 ? FormattableString.Invariant($"{things} {first + 1} to {Math.Min(first + rows, count)} of {count}") : FormattableString.Invariant($"{count} {things}");
        frame.Add($"{shown}, {order}", Ink.Dim);
    }

    /// <summary>Adds a header and rows: an id, a name with the rest of the width, and the first columns for which there is room.</summary>
    private void AddTable<T>(List<T> rows, (string Header, Func<T, string> Describe) id, (Func<T, string> Describe, bool KeepsEnd) name, IReadOnlyList<WatchColumn<T>> columns, Func<T, Ink> ink)
    {
        const int Gap = 2;
        var idWidth = Math.Min(rows.Select(one => id.Describe(one).Length).Append(id.Header.Length).Max(), Math.Max(1, frame.Width / 3));
        var longest = rows.Select(one => CellText.Measure(name.Describe(one))).Append(MinName).Max();
        var nameWidth = frame.Width - idWidth - Gap;
        var shown = columns.TakeWhile(column =>
        {
            if (nameWidth - column.Width - Gap < MinName)
                return false;
            nameWidth -= column.Width + Gap;
            return true;
        }).ToList();
        nameWidth = Math.Min(nameWidth, longest);
        frame.Add(PadLeft(id.Header, idWidth) + "  " + PadRight("name", nameWidth) + string.Concat(shown.Select(static column => "  " + PadLeft(column.Header, column.Width))), Ink.Bold);
        foreach (var row in rows)
        {
            var text = CellText.Cut(name.Describe(row), Math.Max(1, nameWidth), frame.IsUnicode, name.KeepsEnd);
            var line = PadLeft(CellText.Cut(id.Describe(row), idWidth, frame.IsUnicode), idWidth) + "  " + PadRight(text, nameWidth)
                + string.Concat(shown.Select(column => "  " + PadLeft(CellText.Cut(column.Describe(row), column.Width, frame.IsUnicode), column.Width)));
            frame.Add(line, ink(row));
        }
    }

    private void AddDetail(List<(InspectedPeer Peer, TrafficRate Rate)> peers)
    {
        const int Label = 12;
        var index = peers.FindIndex(one => one.Peer.Id == view.Selected);
        if (index < 0)
        {
            frame.Add(FormattableString.Invariant($"The peer {view.Selected} has disconnected."), Ink.Warning);
            return;
        }

        var (peer, rate) = peers[index];
        frame.Add(FormattableString.Invariant($"peer {peer.Id}{(peer.IsInspector ? ", which inspects this host" : "")}"), Ink.Bold);
        var label = "name";
        foreach (var line in Wrap(NameOf(peer.Name, "(no name)"), Math.Max(1, frame.Width - Label)))
        {
            Row(label, line);
            label = "";
        }

        Row("received", Describe(rate.Received, rate.ReceivedBytes, peer.Received, peer.ReceivedBytes));
        Row("sent", Describe(rate.Sent, rate.SentBytes, peer.Sent, peer.SentBytes));
        Row("pending", WatchNumber.Bytes(peer.PendingBytes));
        Row("round trip", WatchNumber.Time(peer.RoundTripTime));
        if (peer.CongestionWindow > 0)
        {
            Row("jitter", WatchNumber.Time(peer.Jitter));
            Row("loss in/out", DescribeLoss(peer));
            Row("window", WatchNumber.Bytes(peer.CongestionWindow));
        }

        if (frame.Left > 1)
            frame.Add((PadRight("messages/s", Label), Ink.Plain), (DrawPlot(history.OfPeer(peer.Id), Math.Max(1, Math.Min(RateHistory.Length, frame.Width - Label))), Ink.Plot));

        void Row(string label, string text)
        {
            if (frame.Left > 1)
                frame.Add(PadRight(label, Label) + text);
        }

        static string Describe(double messages, double bytes, long allMessages, long allBytes) =>
            $"{WatchNumber.Count(messages)}/s, {WatchNumber.Bytes(bytes)}/s; in all {WatchNumber.Count(allMessages)}, {WatchNumber.Bytes(allBytes)}";
    }

    /// <summary>Divides a text into lines. Characters that are shown as one are not divided.</summary>
    private static IEnumerable<string> Wrap(string text, int width)
    {
        var (start, cells) = (0, 0);
        foreach (var at in StringInfo.ParseCombiningCharacters(text))
        {
            var more = CellText.Measure(StringInfo.GetNextTextElement(text, at));
            if (cells > 0 && cells + more > width)
            {
                yield return text[start..at];
                (start, cells) = (at, 0);
            }

            cells += more;
        }

        yield return text[start..];
    }
}
