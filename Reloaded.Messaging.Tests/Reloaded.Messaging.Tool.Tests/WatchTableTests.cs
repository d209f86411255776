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
        Assert.Matches(@"\[peer\] 1 +200 +2000 B +0 +0 B +2\.50 ms +7 B", text);
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
        using var writer = new StringWriter();
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Out = new AnsiConsoleOutput(writer) });
        console.Profile.Width = 200;
        console.Write(WatchTable.Create(rates));
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
