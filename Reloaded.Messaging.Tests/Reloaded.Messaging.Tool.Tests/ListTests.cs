using System.Linq;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The servers of this user.</summary>
public sealed class ListTests
{
    private readonly string _name = $"tool-{Guid.NewGuid():N}";

    [Fact]
    public async Task Published_servers_are_rows_with_endpoints_to_connect_to()
    {
        await using var tcp = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { PublishedName = _name });
        await using var local = await ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, _name + ".local"), new MessageHostOptions());

        var tool = await Tool.RunAsync("list");

        var rows = tool.Output.Split('\n').Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).ToList();
        Assert.Equal((0, ""), (tool.ExitCode, tool.Error));
        Assert.Equal(["pid", "process", "name", "transports", "endpoint"], rows[0]);
        var row = Assert.Single(rows, row => row.Contains(_name));
        Assert.Equal([$"{Environment.ProcessId}", _name, "tcp", $"process://{Environment.ProcessId}/{_name}"], [row[0], .. row[^3..]]);
        Assert.Single(rows, row => row.Contains(_name + ".local"));

        var request = await Tool.RunAsync("request", row[^1], "GetMods", "--schema", Tool.Schema, """{"Filter": "a"}""");
        Assert.True(request.ExitCode == 0, request.Error);
    }

    [Fact]
    public async Task Server_that_has_ended_is_no_row()
    {
        var server = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { PublishedName = _name });
        await server.DisposeAsync();

        var tool = await Tool.RunAsync("list");

        Assert.DoesNotContain(_name, tool.Output);
        Assert.Equal(tool.Output.Length == 0 ? 3 : 0, tool.ExitCode); // servers of other processes may run
    }

    private static Task<MessageServer> ListenAsync(MessageEndpoint endpoint, MessageHostOptions options) =>
        MessageHost.ListenAsync(endpoint, static server => server.OnRequest(static (GetMods request) => new ModList([request.Filter], TimeSpan.Zero)), options);
}
