using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The tool's watch at hosts.</summary>
public sealed class WatchTests
{
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

    [Fact]
    public async Task Key_ends_watch_with_success_and_gives_the_terminal_back()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"), static server => server.AllowInspection());
        var terminal = new TestTerminal();
        var connected = server.Connection();
        var running = Tool.RunAsync(["watch", server.Endpoint.ToString(), "--interval", "3600"], terminal, CancellationToken.None);
        await connected.InTime();

        terminal.Press(ConsoleKey.Tab);
        terminal.Press(ConsoleKey.Q);
        var tool = await running;

        Assert.Equal((0, ""), (tool.ExitCode, tool.Error));
        AssertGivenBack(tool.Output);
    }

    [Fact]
    public async Task Failure_of_watch_gives_the_terminal_back()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"));

        var tool = await Tool.RunInTerminalAsync("watch", server.Endpoint.ToString());

        Assert.Equal(5, tool.ExitCode);
        Assert.Contains("Call AllowInspection()", tool.Error, StringComparison.Ordinal);
        AssertGivenBack(tool.Output);
    }

    [Fact]
    public async Task Own_peer_and_inspections_are_apart()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"), static server => server.AllowInspection());
        await using var player = await MessageHost.ConnectAsync(server.Endpoint);
        await using var watcher = await MessageHost.ConnectAsync(server.Endpoint);
        var before = (await watcher.Server.InspectAsync()).GetReply();
        HostInspection now;
        do
            now = (await watcher.Server.InspectAsync()).GetReply();
        while (now.CountedFor == before.CountedFor); // many inspections at once have one reply

        var rates = new WatchedRates(before, now);

        Assert.Equal([false, true], now.Peers.Select(static one => one.IsInspector));
        Assert.Equal((0, 0), (rates.Total.Received, rates.Total.Sent));
        Assert.True(rates.Inspections.Received > 0, "Inspections were counted.");
        Assert.Empty(rates.Types);
    }

    /// <summary>The alternate screen, the hidden cursor and the lines that are not broken have ended.</summary>
    private static void AssertGivenBack(string output)
    {
        var last = output.LastIndexOf('\u001b');
        var emulator = new TerminalEmulator(80, 24);
        emulator.Write(output[..(output.IndexOf('l', last) + 1)]);
        Assert.Equal([7, 25], emulator.Modes);
        Assert.Contains("\u001b[?1049h", output, StringComparison.Ordinal);
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
