using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The tool and an example in a real pseudo-terminal: its size, keys, Ctrl+C, and what is left on it.</summary>
public sealed class PseudoTerminalTests
{
    private const string CtrlC = "\u0003", Down = "\u001b[B";

    [Theory]
    [InlineData(60, 20)]
    [InlineData(120, 40)]
    public async Task Watch_has_the_size_of_the_terminal_obeys_keys_and_gives_the_terminal_back(int width, int height)
    {
        await using var server = await ListenAsync();
        await using var player = await MessageHost.ConnectAsync(server.Endpoint);
        using var terminal = new PseudoTerminal(width, height, "watch", server.Endpoint.ToString(), "--interval", "0.05");

        await terminal.ReadUntilAsync("received");
        await terminal.ReadUntilAsync("q end");
        var frame = terminal.Show();
        terminal.Press("\t");
        await terminal.ReadUntilAsync("types, by messages/s");
        terminal.Press("\t");
        await terminal.ReadUntilAsync("counters, since the start of the host");
        terminal.Press("\t");
        await terminal.ReadUntilAsync("by messages/s");
        terminal.Press(Down + "\r");
        await terminal.ReadUntilAsync("Esc back");
        terminal.Press("q");

        Assert.Equal(0, await terminal.EndAsync());
        Assert.False(frame.HasOverflown);
        Assert.Equal([1049], frame.Modes.Intersect([7, 25, 1049]));
        Assert.Contains($"pid {Environment.ProcessId}", frame.Lines[0], StringComparison.Ordinal);
        Assert.StartsWith("q end", frame.Lines[^1], StringComparison.Ordinal);
        AssertGivenBack(terminal.Show());
    }

    [Fact]
    public async Task Watch_draws_at_once_when_the_terminal_has_another_size()
    {
        await using var server = await ListenAsync();
        using var terminal = new PseudoTerminal(60, 20, "watch", server.Endpoint.ToString(), "--interval", "3600");

        await terminal.ReadUntilAsync("q end");
        await terminal.ResizeAsync(100, 40);
        await terminal.ReadUntilAsync("\u001b[40H\u001b[2K\u001b[2mq end");
        var frame = terminal.Show();
        terminal.Press("q");

        Assert.Equal(0, await terminal.EndAsync());
        Assert.False(frame.HasOverflown);
        Assert.StartsWith("q end", frame.Lines[^1], StringComparison.Ordinal);
        Assert.Equal("", frame.Lines[19]);
    }

    [Fact]
    public async Task Ctrl_C_ends_watch_with_success_and_gives_the_terminal_back()
    {
        await using var server = await ListenAsync();
        using var terminal = new PseudoTerminal(80, 24, "watch", server.Endpoint.ToString(), "--interval", "0.05");

        await terminal.ReadUntilAsync("received");
        terminal.Press(CtrlC);

        Assert.Equal(0, await terminal.EndAsync());
        AssertGivenBack(terminal.Show());
    }

    [Fact]
    public async Task Failure_is_the_last_line_of_the_terminal_and_a_code()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var terminal = new PseudoTerminal(80, 24, "watch", server.Endpoint.ToString());

        Assert.Equal(5, await terminal.EndAsync());
        Assert.Contains("does not allow inspections. Call AllowInspection()", string.Concat(terminal.Show().Lines), StringComparison.Ordinal);
        Assert.DoesNotContain(1049, terminal.Show().Modes);
    }

    [Fact]
    public async Task Ctrl_C_ends_record_with_what_it_did()
    {
        var folder = System.IO.Directory.CreateTempSubdirectory("tool-");
        await using var server = await ListenAsync();
        using var terminal = new PseudoTerminal(80, 24, "record", server.Endpoint.ToString(), System.IO.Path.Combine(folder.FullName, "events.jsonl"));

        await terminal.ReadUntilAsync("0 events");
        server.Broadcast(new Move(1, 2));
        await terminal.ReadUntilAsync("1 event");
        terminal.Press(CtrlC);

        Assert.Equal(0, await terminal.EndAsync());
        Assert.Contains("recorded 1 event in ", terminal.Output, StringComparison.Ordinal);
        folder.Delete(recursive: true);
    }

    [Fact]
    public async Task Example_shows_how_many_players_have_joined_until_all_have()
    {
        var program = System.IO.Path.Combine(RepositoryFolder.FullName, "Examples", "GameServer", "bin", "Release", "net10.0", "GameServer.dll");
        using var terminal = new PseudoTerminal(program, 80, 24, "udp", "--delay", "500", "1", "3"); // a player needs several round trips to join

        await terminal.ReadUntilAsync(" of 3 players have joined.");

        Assert.Equal(0, await terminal.EndAsync());
        Assert.Contains("3 of 3 players have a current copy of the world: no update was lost.", terminal.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("have joined", string.Concat(terminal.Show().Lines), StringComparison.Ordinal);
    }

    private static Task<MessageServer> ListenAsync() => MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static server => server.AllowInspection());

    /// <summary>The main screen, a cursor and line breaks are back, and the last rates are left.</summary>
    private static void AssertGivenBack(TerminalEmulator terminal)
    {
        Assert.Equal([7, 25], terminal.Modes.Intersect([7, 25, 1049]));
        Assert.Contains("received=", string.Concat(terminal.Lines), StringComparison.Ordinal);
    }
}
