using System;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
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
        Assert.Matches(@"\[peer\] 1 +200 +2000 B +0 +0 B +2\.50 ms +7 B", text);
        Assert.Matches(@"5 +Game\.Move +200 +2000 B", text);
        Assert.Contains("HandlerFailures 3", text);
    }

    [Fact]
    public void Table_of_many_peers_is_shortened()
    {
        var now = Inspect(seconds: 2, received: 0);
        now.Peers = [.. Enumerable.Range(0, 100).Select(static id => new InspectedPeer { Id = id, Name = $"p{id}" })];

        Assert.Contains("85 more peers", Render(new WatchedRates(Inspect(seconds: 1, received: 0), now)));
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
        using var writer = new StringWriter();
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Out = new AnsiConsoleOutput(writer) });
        console.Profile.Width = 200;
        console.Write(WatchTable.Create(rates));
        return writer.ToString();
    }
}
