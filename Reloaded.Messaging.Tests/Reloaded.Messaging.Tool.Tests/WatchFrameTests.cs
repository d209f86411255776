using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The frames of <c>watch</c> in a terminal. Some are approved files in the folder Frames, which RELOADED_MESSAGING_APPROVE=1 writes again.</summary>
public sealed class WatchFrameTests
{
    private const string Samples = "abc xyz 重力ゲーム한국어ﾃｽﾄ１２３ÄöéZ\u0301\u0302\u0303\u200B\u200D\uFE0F☃⌚✅👩\u200D👩\u200D👧🏳\uFE0F\u200D🌈🇩🇪לשלוםعربي\t\n\u001b\u0007\u009b\u202E\u2028\uD800\uDC00𝒳𠮷";

    [Theory]
    [InlineData(60, 20)]
    [InlineData(80, 24)]
    [InlineData(120, 40)]
    [InlineData(200, 60)]
    [InlineData(20, 5)]
    public void Frame_of_100_peers_is_the_approved_one(int width, int height) => AssertApproved("100-peers", new WatchedGame(100).Show(width, height));

    [Fact]
    public void Frame_of_one_peer_is_the_approved_one() => AssertApproved("one-peer", new WatchedGame(1).Show(80, 24));

    [Theory]
    [InlineData(80, 24)]
    [InlineData(120, 40)]
    public void Frame_of_peers_over_datagrams_is_the_approved_one(int width, int height) => AssertApproved("datagrams", new WatchedGame(100, isUdp: true).Show(width, height));

    [Fact]
    public void Frame_of_names_of_any_kind_is_the_approved_one() => AssertApproved("names", new WatchedGame(28).Show(80, 50));

    [Fact]
    public void Frame_without_unicode_is_the_approved_one() => AssertApproved("ascii", new WatchedGame(12).Show(80, 24, isUnicode: false));

    [Fact]
    public void Frame_of_a_selected_peer_in_another_order_is_the_approved_one() =>
        AssertApproved("selected", new WatchedGame(100).Press(ConsoleKey.S, ConsoleKey.S, ConsoleKey.PageDown, ConsoleKey.PageDown, ConsoleKey.UpArrow).Show(80, 24));

    [Fact]
    public void Frame_of_the_details_of_a_peer_is_the_approved_one() =>
        AssertApproved("details", new WatchedGame(7, isUdp: true).Press(ConsoleKey.S, ConsoleKey.S, ConsoleKey.S, ConsoleKey.S, ConsoleKey.S, ConsoleKey.S, ConsoleKey.End, ConsoleKey.UpArrow, ConsoleKey.Enter).Show(60, 20));

    [Fact]
    public void Frame_of_types_is_the_approved_one() => AssertApproved("types", new WatchedGame(100).Press(ConsoleKey.Tab, ConsoleKey.DownArrow, ConsoleKey.DownArrow).Show(80, 24));

    [Fact]
    public void Frame_of_counters_is_the_approved_one() => AssertApproved("counters", new WatchedGame(100).Press(ConsoleKey.Tab, ConsoleKey.Tab).Show(80, 24));

    [Fact]
    public void Frame_of_a_host_that_does_not_reply_is_the_approved_one()
    {
        var game = new WatchedGame(100) { Note = "as of 14:02:11: No reply within 5 s. A pumped host replies inside Pump." };

        AssertApproved("no-reply", game.Show(80, 24));
    }

    [Fact]
    public void No_line_is_wider_than_the_terminal_and_the_head_is_there()
    {
        var random = new Random(1);
        var sizes = new[] { (20, 5), (20, 80), (250, 5), (250, 80), (80, 24) }.Concat(Enumerable.Range(0, Extent.Of(300, 800)).Select(_ => (random.Next(20, 251), random.Next(5, 81))));
        foreach (var (width, height) in sizes)
        {
            var game = new WatchedGame(Inspect(random, TimeSpan.FromSeconds(1)), Inspect(random, TimeSpan.FromSeconds(2))) { Note = random.Next(4) == 0 ? Name(random) : null };
            for (var keys = random.Next(12); keys > 0; keys--)
                game.Press(random.GetItems([ConsoleKey.Tab, ConsoleKey.S, ConsoleKey.Enter, ConsoleKey.Escape, ConsoleKey.UpArrow, ConsoleKey.DownArrow, ConsoleKey.PageUp, ConsoleKey.PageDown, ConsoleKey.Home, ConsoleKey.End, ConsoleKey.A], 1));

            var terminal = game.Show(width, height, isUnicode: random.Next(2) == 0);

            Assert.False(terminal.HasOverflown, $"{width}×{height}:\n{string.Join('\n', terminal.Lines)}");
            Assert.StartsWith("Game", terminal.Lines[0], StringComparison.Ordinal);
            Assert.StartsWith("q end", terminal.Lines[^1], StringComparison.Ordinal);
            Assert.True(height < 12 || terminal.Lines[1].StartsWith("received", StringComparison.Ordinal), terminal.Lines[1]);
            Assert.DoesNotContain(terminal.Lines, static line => line.Contains('@', StringComparison.Ordinal)); // nothing is left of the frame before
        }
    }

    [Fact]
    public void Busiest_peers_are_first_and_the_inspecting_peer_is_last_and_apart()
    {
        var game = new WatchedGame(100);

        var order = PeerOrder.Messages.Sort(game.Rates);

        Assert.Equal(order.SkipLast(1).OrderByDescending(static one => one.Rate.Messages).Select(static one => one.Peer.Id), order.SkipLast(1).Select(static one => one.Peer.Id));
        Assert.True(order[^1].Peer.IsInspector);
        Assert.Equal(game.Rates.Peers.Where(static one => !one.Peer.IsInspector).Sum(static one => one.Rate.Received), game.Rates.Total.Received, 6);
        Assert.Equal((1, 8, 1, 9000), (game.Rates.Inspections.Received, game.Rates.Inspections.ReceivedBytes, game.Rates.Inspections.Sent, game.Rates.Inspections.SentBytes));
        Assert.DoesNotContain(game.Rates.Types, static one => one.Type.Name.StartsWith("Reloaded", StringComparison.Ordinal));
    }

    [Fact]
    public void Selection_stays_at_its_peer_when_the_order_changes()
    {
        var game = new WatchedGame(100).Press(ConsoleKey.DownArrow, ConsoleKey.DownArrow);
        var selected = game.View.Selected;

        game.Press(ConsoleKey.S, ConsoleKey.S);

        Assert.NotNull(selected);
        Assert.Equal(selected, game.View.Selected);
        Assert.Contains(game.Show(80, 24).Lines, line => line.TrimStart().StartsWith($"{selected}  ", StringComparison.Ordinal));
    }

    [Fact]
    public void Every_peer_is_seen_by_scrolling()
    {
        var game = new WatchedGame(100);
        var seen = new HashSet<string>();
        for (var i = 0; i < 101; i++)
            seen.UnionWith(game.Press(ConsoleKey.DownArrow).Show(80, 24).Lines.Select(static line => line.TrimStart().Split(' ')[0]));

        Assert.Superset(Enumerable.Range(1, 100).Select(static id => $"{id}").ToHashSet(), seen);
    }

    private static void AssertApproved(string name, TerminalEmulator terminal, [CallerFilePath] string test = "")
    {
        Assert.False(terminal.HasOverflown);
        var lines = terminal.Lines;
        var file = $"{name}-{terminal.Width}x{lines.Count}.txt";
        var actual = string.Concat(lines.Select(static line => line + "\n"));
        if (Environment.GetEnvironmentVariable("RELOADED_MESSAGING_APPROVE") == "1")
            File.WriteAllText(Path.Combine(Path.GetDirectoryName(test)!, "Frames", file), actual);
        else
            Assert.Equal(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Frames", file)).ReplaceLineEndings("\n"), actual);
    }

    private static HostInspection Inspect(Random random, TimeSpan countedFor) => new()
    {
        Process = $"Game{Name(random)}",
        ProcessId = random.Next(),
        Runtime = Name(random),
        Uptime = random.Next(3) == 0 ? TimeSpan.MaxValue : TimeSpan.FromSeconds(random.Next()),
        CountedFor = countedFor,
        PeerCount = random.Next(),
        Queued = random.Next(),
        Peers = [.. Enumerable.Range(0, random.Next(30)).Select(_ => new InspectedPeer
        {
            Id = Number(random),
            Name = Name(random),
            Received = Number(random),
            ReceivedBytes = Number(random),
            Sent = Number(random),
            SentBytes = Number(random),
            PendingBytes = random.Next(),
            RoundTripTime = new TimeSpan(Number(random)),
            CongestionWindow = random.Next(2) * random.Next(),
            Jitter = new TimeSpan(Number(random)),
            ReceivedLossShare = random.Next(4) switch { 0 => double.NaN, 1 => double.MaxValue, 2 => -1, _ => random.NextDouble() },
            SentLossShare = random.NextDouble(),
            IsInspector = random.Next(5) == 0,
        })],
        Types = [.. Enumerable.Range(0, random.Next(30)).Select(_ => new InspectedType { Type = (uint)Number(random), Name = Name(random), Received = Number(random), Sent = Number(random), SentBytes = Number(random) })],
        Counters = Enumerable.Range(0, random.Next(20)).ToDictionary(i => $"{i}{Name(random)}", _ => Number(random)),
    };

    private static long Number(Random random) => random.Next(4) switch { 0 => random.NextInt64(), 1 => random.Next(), 2 => long.MaxValue, _ => random.Next(100) };

    private static string Name(Random random)
    {
        var length = random.Next(5) switch { 0 => 0, 1 => 500, _ => random.Next(60) };
        return string.Concat(Enumerable.Range(0, length).Select(_ => random.Next(3) == 0 ? Samples[random.Next(Samples.Length)] : (char)random.Next('a', 'z' + 1)));
    }
}
