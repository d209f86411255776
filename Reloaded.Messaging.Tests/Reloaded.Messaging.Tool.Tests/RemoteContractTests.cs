using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Exported;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The tool refuses messages that the schema and the host understand differently, and verbs that do not fit the role of a message.</summary>
public sealed class RemoteContractTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Reply_of_another_layout_is_refused_and_names_the_field_of_each_side(bool isDeclared)
    {
        await using var server = await ListenAsync();

        var tool = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", "{}", "--schema", WriteOld(isDeclared));

        Assert.Equal((4, ""), (tool.ExitCode, tool.Output));
        Assert.Contains("The contracts of message type 7 (Reloaded.Messaging.Tests.ModList on this side, Reloaded.Messaging.Tests.ModList on the remote side) differ: ModList.Age is bool here and TimeSpan there. Name the schema of the host", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Recording_of_another_layout_is_not_shown_with_wrong_values()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"));
        var (file, old) = (Path.Combine(_folder.FullName, "events.jsonl"), WriteOld(isDeclared: false));
        var connected = server.Connection();
        var recording = Tool.RunAsync("record", server.Endpoint.ToString(), file, "--count", "2", "--schema", Tool.Schema);
        await connected.InTime();
        server.Broadcast(new Move(1, 2));
        server.Broadcast(new ModList(["a"], TimeSpan.FromSeconds(1)));
        Assert.Equal(0, (await recording).ExitCode);

        var right = await Tool.RunAsync("decode", file, "--schema", Tool.Schema);
        var wrong = await Tool.RunAsync("decode", file, "--schema", old);
        var lines = await File.ReadAllLinesAsync(file, TestContext.Current.CancellationToken);
        await File.WriteAllLinesAsync(file, ["{\"format\":\"reloaded-messaging recording 1\"}", .. lines[1..]], TestContext.Current.CancellationToken);
        var unknown = await Tool.RunAsync("decode", file, "--schema", Tool.Schema);

        Assert.Equal((0, ""), (right.ExitCode, right.Error));
        Assert.Contains("\"Age\":\"00:00:01\"", right.Output, StringComparison.Ordinal);
        Assert.Equal(2, wrong.ExitCode);
        Assert.Contains("was recorded by another contract: The contracts of message type 7 (Reloaded.Messaging.Tests.ModList on this side, ", wrong.Output, StringComparison.Ordinal);
        Assert.Contains("ModList.Age is bool here and TimeSpan there", wrong.Output, StringComparison.Ordinal);
        Assert.Contains("{\"X\":1,\"Y\":2", wrong.Output, StringComparison.Ordinal);
        Assert.Equal((0, "The recording has no contracts, so its values are right only if the schema is that of its host. Record with --schema or --assembly.\n"), (unknown.ExitCode, unknown.Error));
    }

    [Fact]
    public async Task Schema_of_another_host_is_refused_by_record_and_an_earlier_recording_stays()
    {
        await using var server = await ListenAsync();
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        await File.WriteAllTextAsync(file, "an earlier recording", TestContext.Current.CancellationToken);

        var tool = await Tool.RunAsync("record", server.Endpoint.ToString(), file, "--schema", WriteOld(isDeclared: true));

        Assert.Equal((4, ""), (tool.ExitCode, tool.Output));
        Assert.Equal("an earlier recording", await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        Assert.Contains("differ: ModList.Age is bool here and TimeSpan there.", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Message_inside_of_another_layout_is_refused()
    {
        await using var server = await ListenAsync();
        var schema = await File.ReadAllTextAsync(Tool.Schema, TestContext.Current.CancellationToken);
        var old = Path.Combine(_folder.FullName, "schema.json");
        const string Layout = "\"layout\": \"o;None b;Parts [@21]\"", Field = "\"name\": \"None\", \"type\": \"b\", \"code\": \"b\", \"declared\": \"bool\", \"default\": true";
        Assert.Contains(Layout, schema, StringComparison.Ordinal);
        Assert.Contains(Field, schema, StringComparison.Ordinal);
        File.WriteAllText(old, schema.Replace(Layout, "\"layout\": \"o;None u1;Parts [@21]\"", StringComparison.Ordinal).Replace(Field, "\"name\": \"None\", \"type\": \"u1\", \"code\": \"u1\", \"declared\": \"uint8\"", StringComparison.Ordinal));

        var tool = await Tool.RunAsync("send", server.Endpoint.ToString(), "Map", "{}", "--schema", old);
        var inside = await Tool.RunAsync("send", server.Endpoint.ToString(), "Everything", """{"Version": "1.0", "Part": {}}""", "--schema", old);

        Assert.Equal(0, tool.ExitCode);
        Assert.Equal(4, inside.ExitCode);
        Assert.Contains("differ: Everything.ByName[][].None is uint8 here and bool there.", inside.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("send", "Move", "event", 0)]
    [InlineData("send", "Part", "part", 0)]
    [InlineData("send", "Outcome", "reply", 0)]
    [InlineData("send", "Line", "item", 0)]
    [InlineData("send", "Load", "request", 1)]
    [InlineData("send", "Tail", "stream", 1)]
    [InlineData("request", "GetMods", "event", 0)]
    [InlineData("request", "Move", "event", 5)]
    [InlineData("request", "Part", "part", 5)]
    [InlineData("request", "Outcome", "reply", 5)]
    [InlineData("request", "Line", "item", 5)]
    [InlineData("request", "Exported.Load", "request", 0)]
    [InlineData("request", "Tail", "stream", 1)]
    public async Task Verb_fits_the_role(string verb, string type, string role, int exitCode)
    {
        await using var server = await ListenAsync();
        var name = type == "Load" ? "Exported.Load" : type;
        Assert.Equal(role, Reloaded.Messaging.Tool.Schema.Load([Tool.Schema], []).Find(name).Role);
        var json = type == "Outcome" ? """{"$type": "Reloaded.Messaging.Tests.Exported.Loaded", "Id": "a"}""" : "{}";

        var tool = await Tool.RunAsync(verb, server.Endpoint.ToString(), name, json, "--schema", Tool.Schema);

        Assert.True(tool.ExitCode == exitCode, $"{tool.ExitCode}: {tool.Error}");
        Assert.Equal(exitCode == 0, tool.Error.Length == 0);
    }

    [Fact]
    public async Task Request_of_an_event_of_a_service_is_refused()
    {
        var file = Path.Combine(_folder.FullName, "schema.json");
        File.WriteAllText(file, (await File.ReadAllTextAsync(Tool.Schema, TestContext.Current.CancellationToken)).Replace("\"role\": \"event\",\n      \"layout\": \"o;X i4", "\"role\": \"event\",\n      \"service\": \"IMoves\",\n      \"layout\": \"o;X i4", StringComparison.Ordinal));

        var tool = await Tool.RunAsync("request", "tcp://localhost:1", "Move", "{}", "--schema", file);

        Assert.Equal((1, "Reloaded.Messaging.Tests.Move is an event. Use 'reloaded-messaging send'.\n"), (tool.ExitCode, tool.Error));
    }

    [Fact]
    public async Task Reply_without_content_is_null()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"), static server => server.OnRequest<Move, Acknowledgement>(static (in Move _, Peer _) => default));

        Assert.Equal(new Tool(0, "null\n", ""), await Tool.RunAsync("request", server.Endpoint.ToString(), "Move", "{}", "--schema", Tool.Schema));
    }

    /// <summary>Writes a schema in which the reply has a Boolean value in place of a time.</summary>
    private string WriteOld(bool isDeclared)
    {
        const string Field = "\"name\": \"Age\", \"type\": \"ts\", \"code\": \"ts\", \"declared\": \"timespan\", \"shape\": \"0000000231AF9CE6\"", Layout = "o;Names [s];Age ts", Request = "\"role\": \"event\",\n      \"layout\": \"o;Filter s\"";
        var schema = File.ReadAllText(Tool.Schema).ReplaceLineEndings("\n");
        foreach (var part in new[] { Field, Layout, Request })
            Assert.Contains(part, schema, StringComparison.Ordinal);
        schema = schema.Replace(Field, "\"name\": \"Age\", \"type\": \"b\", \"code\": \"b\", \"declared\": \"bool\", \"shape\": \"0000000211111111\"", StringComparison.Ordinal).Replace(Layout, "o;Names [s];Age b", StringComparison.Ordinal);
        if (isDeclared)
            schema = schema.Replace(Request, "\"role\": \"request\",\n      \"reply\": 7,\n      \"layout\": \"o;Filter s\"", StringComparison.Ordinal);
        var file = Path.Combine(_folder.FullName, "old.json");
        File.WriteAllText(file, schema);
        return file;
    }

    private static Task<MessageServer> ListenAsync() => MessageHost.ListenAsync(
        MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"),
        static server =>
        {
            server.On(static (in Move _, Peer _) => { });
            server.On(static (in Part _, Peer _) => { });
#pragma warning disable CS0618 // is obsolete to test its export
            server.On(static (in Everything _, Peer _) => { });
#pragma warning restore CS0618
            server.OnRequest(static (GetMods _) => new ModList([], TimeSpan.Zero));
            server.OnRequest(static (Load load) => (Outcome)new Loaded(load.Id));
        });
}
