using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tool;
using Spectre.Console;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class WatchTableTests
{
    [Fact]
    public void Table_shows_rates_between_two_inspections()
    {
        var before = Inspect(seconds: 1, received: 100);
        var now = Inspect(seconds: 3, received: 500);

        var text = Render(new WatchedRates(before, now));

        Assert.Contains("game [1] (42)", text);
        Assert.Matches(@"\[peer\] 1 +200 +2000 B +0 +0 B +█ +2\.50 ms +7 B", text);
        Assert.Matches(@"5 +Game\.Move +200 +2000 B", text);
        Assert.Contains("HandlerFailures 3", text);
    }

    [Fact]
    public void Table_shows_jitter_and_losses_of_peers_over_datagrams()
    {
        var now = Inspect(seconds: 2, received: 0);
        Assert.DoesNotContain("jitter", Render(new WatchedRates(Inspect(seconds: 1, received: 0), now)), StringComparison.Ordinal);
        var peer = now.Peers[0];
        (peer.CongestionWindow, peer.Jitter, peer.ReceivedLossShare, peer.SentLossShare) = (12_000, TimeSpan.FromMilliseconds(1.5), 0.01, 0.25);

        Assert.Matches(@"2\.50 ms +7 B +1\.50 ms +1\.0 ?% / 25\.0 ?%", Render(new WatchedRates(Inspect(seconds: 1, received: 0), now)));
    }

    [Fact]
    public void Table_plots_rates_of_host_and_peers_with_colors_unless_there_are_none()
    {
        var history = new RateHistory();
        for (var second = 1; second <= RateHistory.HostLength; second++)
            history.Add(new WatchedRates(Inspect(second, received: 0), Inspect(second + 1, received: 100)));
        var rates = new WatchedRates(Inspect(seconds: 1, received: 0), Inspect(seconds: 2, received: 800));
        history.Add(rates);

        var text = Render(rates, history);

        Assert.Contains($"received {new string('▂', RateHistory.HostLength - 1)}█ 800/s, at most 800/s", text);
        Assert.Contains($"sent     {new string('▁', RateHistory.HostLength)} 0/s, at most 0/s", text);
        Assert.Contains($" {new string('▂', RateHistory.PeerLength - 1)}█ ", text);
        Assert.DoesNotContain('\u001b', text);
        Assert.Contains("\u001b[38;5;14mreceived", Render(rates, history, ColorSystemSupport.EightBit), StringComparison.Ordinal);
    }

    [Fact]
    public void Plot_without_unicode_has_signs_and_forgets_peers_that_left()
    {
        var history = new RateHistory();
        history.Add(new WatchedRates(Inspect(seconds: 1, received: 0), Inspect(seconds: 2, received: 4)));
        var left = Inspect(seconds: 3, received: 4);
        left.Peers = [];
        history.Add(new WatchedRates(Inspect(seconds: 2, received: 4), left));

        Assert.Equal("#_", Plot.Create(history.Received, isUnicode: false));
        Assert.Empty(history.OfPeer(1));
    }

    [Fact]
    public void Table_of_many_peers_is_shortened()
    {
        var now = Inspect(seconds: 2, received: 0);
        now.Peers = [.. Enumerable.Range(0, 100).Select(static id => new InspectedPeer { Id = id, Name = $"p{id}" })];

        Assert.Contains("85 more peers", Render(new WatchedRates(Inspect(seconds: 1, received: 0), now)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Control_characters_of_a_hostile_host_do_not_reach_the_output(bool isTerminal)
    {
        const string Hostile = "\u001b]0;title\u0007\u009b2J\nnext";
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var inspected = 0;
        server.OnRequest(new MessageContract<int>(0xFFFF0010, new EmptySerializer()), MessageContract.GetDeclared<HostInspection>(), (in int _, Peer _) =>
        {
            var inspection = Inspect(seconds: ++inspected, received: 1);
            (inspection.Process, inspection.Runtime, inspection.Counters) = (Hostile, Hostile, new() { [Hostile] = 1 });
            inspection.Peers[0].Name = inspection.Types[0].Name = Hostile;
            return inspection;
        });
        string[] arguments = ["watch", server.Endpoint.ToString(), "--interval", "0.05", "--count", "2"];

        var tool = await (isTerminal ? Tool.RunInTerminalAsync(arguments) : Tool.RunAsync(arguments));

        Assert.Equal((0, ""), (tool.ExitCode, tool.Error));
        Assert.Contains("\uFFFD]0;title\uFFFD\uFFFD2J\uFFFDnext", tool.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("\u001b]0", tool.Output, StringComparison.Ordinal);
        Assert.DoesNotContain(tool.Output, static one => one is '\u0007' or '\u009b');
        if (!isTerminal)
            Assert.Equal(2, tool.Output.TrimEnd('\n').Split('\n').Length);
    }

    [Fact]
    public async Task Control_characters_do_not_reach_the_error_output()
    {
        var tool = await Tool.RunAsync("decode", "\u001b[2J");

        Assert.Equal("'\uFFFD[2J' is not a file, and not hexadecimal digits in pairs.\n", tool.Error);
    }

    private static HostInspection Inspect(int seconds, long received) => new()
    {
        Process = "game [1]",
        ProcessId = 42,
        CountedFor = TimeSpan.FromSeconds(seconds),
        PeerCount = 1,
        Peers = [new InspectedPeer { Id = 1, Name = "[peer] 1", Received = received, ReceivedBytes = received * 10, RoundTripTime = TimeSpan.FromMilliseconds(2.5), PendingBytes = 7 }],
        Types = [new InspectedType { Type = 5, Name = "Game.Move", Received = received, ReceivedBytes = received * 10 }],
        Counters = new() { ["HandlerFailures"] = 3 },
    };

    private static string Render(WatchedRates rates)
    {
        var history = new RateHistory();
        history.Add(rates);
        return Render(rates, history);
    }

    private static string Render(WatchedRates rates, RateHistory history, ColorSystemSupport colors = ColorSystemSupport.NoColors)
    {
        using var writer = new StringWriter();
        var ansi = colors == ColorSystemSupport.NoColors ? AnsiSupport.No : AnsiSupport.Yes;
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = ansi, ColorSystem = colors, Out = new AnsiConsoleOutput(writer) });
        console.Profile.Width = 200;
        console.Write(WatchTable.Create(rates, history, isUnicode: true));
        return writer.ToString();
    }

    private sealed class EmptySerializer : IMessageSerializer<int>
    {
        public string Name => "binary";

        public void Serialize(in int value, MessageBuffer buffer)
        {
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value)
        {
            value = 0;
            return true;
        }
    }
}
