using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The verbs that connect to a host.</summary>
public sealed class ConnectedTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");
    private readonly ConcurrentQueue<Move> _moves = new();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Send_writes_json_by_schema_with_defaults()
    {
        await using var server = await ListenAsync();

        var tool = await Tool.RunAsync("send", server.Endpoint.ToString(), "Move", """{"X": -1, "Y": 2}""", "--schema", Tool.Schema);

        Assert.Equal((0, "", "sent Reloaded.Messaging.Tests.Move"), (tool.ExitCode, tool.Error, tool.Output.Split(" to ")[0]));
        await Signal.UntilAsync(() => !_moves.IsEmpty);
        Assert.Equal(new Move(-1, 2, "none"), Assert.Single(_moves));
    }

    [Theory]
    [InlineData("""{"X": "a"}""", "Reloaded.Messaging.Tests.Move.X has the type int32, and its value is \"a\"")]
    [InlineData("""{"Z": 1}""", "Reloaded.Messaging.Tests.Move has no field Z. Its fields: X, Y, Name.")]
    [InlineData("""{"X": 3000000000}""", "Reloaded.Messaging.Tests.Move.X has the type int32")]
    [InlineData("""{"Name": null}""", "Reloaded.Messaging.Tests.Move.Name is null, and must not be.")]
    [InlineData("[1]", "Reloaded.Messaging.Tests.Move is a message, and the JSON is Array.")]
    [InlineData("""{"X": 1, "Y": 2, "X": 3}""", "Reloaded.Messaging.Tests.Move has X twice. Remove one.")]
    [InlineData("{", "The message is not JSON")]
    public async Task Json_that_does_not_fit_is_refused_before_connection(string json, string expected)
    {
        var tool = await Tool.RunAsync("send", "tcp://localhost:1", "Move", json, "--schema", Tool.Schema);

        Assert.Equal(2, tool.ExitCode);
        Assert.StartsWith(expected, tool.Error);
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
    }

    [Theory]
    [InlineData("{si4}", "dictionary<string, int32>", """{"a": 1, "b": 1, "a": 2}""", "M.A has a twice. Remove one.\n")]
    [InlineData("{i4i4}", "dictionary<int32, int32>", "[[1, 1], [2, 1], [1, 2]]", "M.A has 1 twice. Remove one.\n")]
    [InlineData("[s]", "set<string>", """["a", "b", "a"]""", "M.A has \"a\" twice. Remove one.\n")]
    [InlineData("[s]", "set<string>", """["a", "b", "\u0061"]""", "M.A has \"\\u0061\" twice. Remove one.\n")]
    [InlineData("[f8]", "set<float64>", "[1, 1.0]", "M.A has 1.0 twice. Remove one.\n")]
    [InlineData("[f8]", "set<float64>", """["NaN", 1, "NaN"]""", "M.A has \"NaN\" twice. Remove one.\n")]
    [InlineData("[f4]", "set<float32>", "[-0.0, 1, 0]", "M.A has 0 twice. Remove one.\n")]
    [InlineData("[d]", "set<decimal>", "[1.0, 2, 1.00]", "M.A has 1.00 twice. Remove one.\n")]
    [InlineData("[d]", "set<decimal>", "[0, -0.00]", "M.A has -0.00 twice. Remove one.\n")]
    [InlineData("{tos}", "dictionary<DateTimeOffset, string>", """[["2026-01-02T03:00:00+00:00", "a"], ["2026-01-02T04:00:00+01:00", "b"]]""", "M.A has \"2026-01-02T04:00:00+01:00\" twice. Remove one.\n")]
    [InlineData("[t]", "set<DateTime>", """["2026-01-02T03:00:00", "2026-01-02T03:00:00Z"]""", "M.A has \"2026-01-02T03:00:00Z\" twice. Remove one.\n")]
    [InlineData("[t]", "set<DateTime>", """["0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00"]""", "M.A has \"0001-01-01T00:00:00\" twice. Remove one.\n")]
    [InlineData("[t]", "set<DateTime>", """["9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999+00:00"]""", "M.A has \"9999-12-31T23:59:59.9999999+00:00\" twice. Remove one.\n")]
    [InlineData("{(df8)i4}", "dictionary<Place, int32>", "[[[1.0, 0], 1], [[1, -0.0], 2]]", "M.A has [1, -0.0] twice. Remove one.\n")]
    [InlineData("[(i4s)]", "set<(int32 A, string B)>", """[[1, "a"], [1, "b"], [1, "b"]]""", "M.A has [1, \"b\"] twice. Remove one.\n")]
    [InlineData("[(i4s)]", "set<(int32 A, string B)>", """[[1, "a"], [1, "b"], [2, "b"]]""", "")]
    [InlineData("[(sf8)]", "set<(string A, float64 B)>", """[["a", 0.0], ["a", -0.0]]""", "M.A has [\"a\", -0.0] twice. Remove one.\n")]
    [InlineData("[?d]", "set<decimal?>", "[null, 1.0, 1.00]", "M.A has 1.00 twice. Remove one.\n")]
    [InlineData("[?d]", "set<decimal?>", "[1, null, 0]", "")]
    [InlineData("[t]", "set<DateTime>", """["2026-01-02T03:00:00+00:00", "2026-01-02T03:00:00Z"]""", "")] // local for the receiver, and UTC
    [InlineData("[m5]", "set<M>", """[{}, {}]""", "M.A has {} twice. Remove one.\n")]
    [InlineData("[d]", "set<decimal>", "[1.0, 1.1, 10, 0.1]", "")]
    [InlineData("[[i4]]", "set<list<int32>>", "[[1], [1]]", "")]
    [InlineData("[[s]]", "list<set<string>>", """[["a"], ["b", "b"]]""", "M.A has \"b\" twice. Remove one.\n")]
    [InlineData("{s[i4]}", "dictionary<string, set<int32>>", """{"a": [1, 1]}""", "M.A has 1 twice. Remove one.\n")]
    [InlineData("?[i4]", "set<int32>?", "[1, 1]", "M.A has 1 twice. Remove one.\n")]
    [InlineData("[u1]", "set<uint8>", "\"0A0B0a\"", "M.A has 0A twice. Remove one.\n")]
    [InlineData("[u1]", "list<uint8>", "\"0A0A\"", "")]
    [InlineData("[s]", "list<string>", """["a", "b", "a"]""", "")]
    [InlineData("[[s]]", "list<list<string>>", """[["a", "a"]]""", "")]
    [InlineData("[s]", null, """["a", "a"]""", "")] // a schema of format 1
    public async Task Equal_keys_which_no_receiver_takes_are_refused_before_connection(string type, string? declared, string json, string expected)
    {
        var schema = Path.Combine(_folder.FullName, "schema.json");
        File.WriteAllText(schema, $$"""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{"number": 1, "name": "A", "type": "{{type}}", {{(declared is null ? "" : $"\"declared\": \"{declared}\", ")}}"shape": "1"}]}]}""");

        var tool = await Tool.RunAsync("send", "tcp://127.0.0.1:1", "M", $$"""{"A": {{json}}}""", "--schema", schema);

        Assert.Equal(expected.Length == 0 ? 3 : 2, tool.ExitCode);
        Assert.StartsWith(expected, tool.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Old.Move", 3, "")]
    [InlineData("Jump", 3, "")]
    [InlineData("Move", 2, "M is a union. Set \"$type\" to one of: Game.Old.Move, Old.Move, Old.Jump.\n")]
    public async Task Type_of_a_union_is_the_one_of_its_name(string name, int exitCode, string expected)
    {
        const string Message = "\"struct\": false, \"version\": 1, \"compressor\": null, \"fields\": [";
        const string Types = """{"number": 1, "name": "Game.Old.Move", "type": "m6", "shape": "1"}, {"number": 2, "name": "Old.Move", "type": "m7", "shape": "1"}, {"number": 3, "name": "Old.Jump", "type": "m7", "shape": "1"}""";
        var schema = Path.Combine(_folder.FullName, "schema.json");
        File.WriteAllText(schema, $$"""{"contracts": [{"id": 5, "name": "M", "kind": "union", {{Message}}{{Types}}]}, {"id": 6, "name": "Game.Old.Move", "kind": "message", {{Message}}]}, {"id": 7, "name": "Old.Move", "kind": "message", {{Message}}{"number": 1, "name": "A", "type": "i4", "shape": "1"}]}]}""");

        var tool = await Tool.RunAsync("send", "tcp://127.0.0.1:1", "M", $$"""{"$type": "{{name}}", "A": 1}""", "--schema", schema);

        Assert.Equal(exitCode, tool.ExitCode);
        Assert.StartsWith(expected, tool.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[]", """{"Z": 1}""", "M has no field Z. It has no fields: write {}.\n")]
    [InlineData("""[{"number": 1, "name": "A", "type": "[i4]", "shape": "1"}]""", """{"A": 1}""", "M.A has the type list of int32, and its value is 1: ")]
    [InlineData("""[{"number": 1, "name": "A", "type": "f4", "shape": "1"}]""", """{"A": -1e39}""", "M.A has the type float32, and its value is -1e39: it is out of range\n")]
    [InlineData("""[{"number": 1, "name": "A", "type": "{s:?dd}", "shape": "1"}]""", """{"A": 1}""", "M.A has the type dictionary of string to nullable DateOnly, and its value is 1: ")]
    public async Task Type_of_a_field_is_described_in_words(string fields, string json, string expected)
    {
        var schema = Path.Combine(_folder.FullName, "schema.json");
        File.WriteAllText(schema, $$"""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": {{fields}}}]}""");

        var tool = await Tool.RunAsync("send", "tcp://localhost:1", "M", json, "--schema", schema);

        Assert.Equal(2, tool.ExitCode);
        Assert.StartsWith(expected, tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Missing_field_whose_default_is_computed_is_refused()
    {
        var tool = await Tool.RunAsync("send", "tcp://localhost:1", "Everything", "{}", "--schema", Tool.Schema);

        Assert.Equal((2, "Reloaded.Messaging.Tests.Exported.Everything.Version is missing, and code of .NET computes its default. Add it to the JSON.\n"), (tool.ExitCode, tool.Error));
    }

    [Fact]
    public async Task Unknown_type_is_explained()
    {
        var without = await Tool.RunAsync("send", "tcp://localhost:1", "Fly");
        var with = await Tool.RunAsync("send", "tcp://localhost:1", "Fly", "--schema", Tool.Schema);

        Assert.Equal((2, 2), (without.ExitCode, with.ExitCode));
        Assert.StartsWith("The type 'Fly' is not known without a schema. Name the file of the contracts by --schema", without.Error);
        Assert.StartsWith("The schema has no contract named 'Fly'. Choose from: Reloaded.Messaging.Tests.", with.Error);
    }

    [Fact]
    public async Task Contract_that_differs_is_named()
    {
        await using var server = await ListenAsync();
        var schema = Path.Combine(_folder.FullName, "schema.json");
        File.WriteAllText(schema, (await File.ReadAllTextAsync(Tool.Schema)).Replace("\"id\": 5,\n      \"name\": \"Reloaded.Messaging.Tests.Move\",\n      \"kind\": \"message\",\n      \"struct\": false,\n      \"version\": 1", "\"id\": 5,\n      \"name\": \"Reloaded.Messaging.Tests.Move\",\n      \"kind\": \"message\",\n      \"struct\": false,\n      \"version\": 2"));

        var tool = await Tool.RunAsync("send", server.Endpoint.ToString(), "Move", "{}", "--schema", schema);

        Assert.Equal(4, tool.ExitCode);
        Assert.Contains("the version is 2 here and 1 there", tool.Error);
    }

    [Fact]
    public async Task Request_prints_reply_as_json()
    {
        await using var server = await ListenAsync();

        var tool = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", """{"Filter": "ui"}""", "--schema", Tool.Schema);

        Assert.Equal((0, "", "{\"Names\":[\"ui\",\"ui2\"],\"Age\":\"00:00:01\"}\n"), (tool.ExitCode, tool.Error, tool.Output));
    }

    [Fact]
    public async Task Request_that_fails_prints_fault()
    {
        await using var server = await ListenAsync();

        var unknown = await Tool.RunAsync("request", server.Endpoint.ToString(), "Log", "{}", "--schema", Tool.Schema);
        var failed = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", """{"Filter": "fail"}""", "--schema", Tool.Schema);

        Assert.Equal((5, 5), (unknown.ExitCode, failed.ExitCode));
        Assert.Contains($"NoHandler \"{typeof(Log).FullName}: ", unknown.Error);
        Assert.Contains("no \\\"such\\\" filter 'fail'", failed.Error);
    }

    [Fact]
    public async Task Request_without_a_reply_in_time_names_the_request_and_the_option()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"), static server => server.OnRequest(static async (GetMods _, Peer _, CancellationToken token) =>
        {
            await Task.Delay(Timeout.Infinite, token);
            return new ModList([], TimeSpan.Zero);
        }));

        var tool = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", "--schema", Tool.Schema, "--timeout", "2");

        Assert.Equal((4, "The host did not reply to Reloaded.Messaging.Tests.GetMods within 2 s. It may still handle the request. Raise --timeout, or check the host.\n"), (tool.ExitCode, tool.Error));
    }

    [Theory]
    [InlineData("tcp://localhost", 1)]
    [InlineData("http://localhost:1", 1)]
    [InlineData("1", 1)]
    [InlineData("process://0/x", 1)]
    [InlineData("in-process://nobody", 3)]
    [InlineData("unix:///no/such.sock", 3)]
    public async Task Endpoint_without_server_is_one_line(string endpoint, int exitCode)
    {
        var tool = await Tool.RunAsync("watch", endpoint);

        Assert.Equal(exitCode, tool.ExitCode);
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
        Assert.Empty(tool.Output);
    }

    [Fact]
    public async Task Token_is_read_from_the_command_line()
    {
        var token = Enumerable.Range(0, 32).Select(static i => (byte)i).ToArray();
        await using var server = await ListenAsync(new MessageHostOptions { Token = token });

        var right = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", "--schema", Tool.Schema, "--token", Convert.ToHexString(token));
        var base64 = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", "--schema", Tool.Schema, "--token", Convert.ToBase64String(token));
        var wrong = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", "--schema", Tool.Schema, "--token", new string('A', 64));
        var invalid = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", "--schema", Tool.Schema, "--token", "x?");

        Assert.Equal((0, 0, 3, 1), (right.ExitCode, base64.ExitCode, wrong.ExitCode, invalid.ExitCode));
    }

    [Fact]
    public async Task Watch_prints_a_line_for_each_interval()
    {
        await using var server = await ListenAsync();
        server.AllowInspection();

        var tool = await Tool.RunAsync("watch", server.Endpoint.ToString(), "--interval", "0.05", "--count", "3");

        Assert.Equal((0, ""), (tool.ExitCode, tool.Error));
        var lines = tool.Output.TrimEnd('\n').Split('\n');
        Assert.Equal(3, lines.Length);
        Assert.All(lines, line => Assert.Matches($@" pid={Environment.ProcessId} uptime=\d\d:\d\d:\d\d peers=1 received=\d+/s received-bytes=\d+/s sent=\d+/s sent-bytes=\d+/s queued=0 pending-bytes=\d+", line));
    }

    [Fact]
    public async Task Watch_ends_when_the_reader_of_its_output_has_closed_the_pipe()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static server => server.AllowInspection());
        using var process = Process.Start(new ProcessStartInfo("dotnet", [typeof(Reloaded.Messaging.Tool.Schema).Assembly.Location, "watch", server.Endpoint.ToString(), "--interval", "0.05"]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        try
        {
            Assert.Contains("peers=1", await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken).AsTask().InTime(), StringComparison.Ordinal);
            process.StandardOutput.Close();

            await process.WaitForExitAsync(TestContext.Current.CancellationToken).InTime();

            Assert.Equal((0, ""), (process.ExitCode, await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken)));
        }
        finally
        {
            process.Kill();
        }
    }

    [Fact]
    public async Task Watch_of_host_that_does_not_allow_it_says_what_to_call()
    {
        await using var server = await ListenAsync();

        var tool = await Tool.RunAsync("watch", server.Endpoint.ToString());

        Assert.Equal(5, tool.ExitCode);
        Assert.Contains("Call AllowInspection()", tool.Error);
    }

    [Fact]
    public async Task Recorded_events_are_replayed_in_order()
    {
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        await using var source = await ListenAsync();
        var connected = source.Connection();
        var recording = Tool.RunAsync("record", source.Endpoint.ToString(), file, "--count", "100");
        await connected.InTime();
        for (var i = 0; i < 120; i++)
            source.Broadcast(new Move(i, -i));
        var recorded = await recording;

        await using var target = await ListenAsync();
        var replayed = await Tool.RunAsync("replay", file, target.Endpoint.ToString(), "--speed", "0");
        var decoded = await Tool.RunAsync("decode", file, "--schema", Tool.Schema);

        Assert.Equal((0, $"recorded 100 events in {file}\n", ""), (recorded.ExitCode, recorded.Output, recorded.Error));
        Assert.Equal((0, $"replayed 100 events of {file}\n", ""), (replayed.ExitCode, replayed.Output, replayed.Error));
        await Signal.UntilAsync(() => _moves.Count == 100);
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => new Move(i, -i)), _moves);
        Assert.Equal(100, decoded.Output.Split("Reloaded.Messaging.Tests.Move").Length - 1);
    }

    [Fact]
    public async Task Each_event_is_in_the_file_while_the_recording_goes_on_and_no_other_recording_replaces_it()
    {
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        await using var source = await ListenAsync();
        var connected = source.Connection();
        var recording = Tool.RunAsync("record", source.Endpoint.ToString(), file, "--count", "3");
        await connected.InTime();
        await Signal.UntilAsync(() => File.Exists(file) && new FileInfo(file).Length > 0);
        for (var i = 0; i < 2; i++)
        {
            var before = new FileInfo(file).Length;
            source.Broadcast(new Move(i, 2));
            await Signal.UntilAsync(() => new FileInfo(file).Length > before);
        }

        var other = await Tool.RunAsync("record", source.Endpoint.ToString(), file, "--count", "1");
        source.Broadcast(new Move(5, 6));
        var first = await recording;

        Assert.Equal(2, other.ExitCode);
        Assert.Contains(file, other.Error, StringComparison.Ordinal);
        Assert.Equal((0, $"recorded 3 events in {file}\n", ""), (first.ExitCode, first.Output, first.Error));
        Assert.Equal(4, File.ReadAllLines(file).Length);
    }

    [Fact]
    public async Task Recording_to_a_full_disk_ends_with_an_error()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "This system has no /dev/full, whose writes fail as those to a full disk.");
        await using var source = await ListenAsync();

        var tool = await Tool.RunAsync("record", source.Endpoint.ToString(), "/dev/full", "--count", "1");

        Assert.Equal((2, ""), (tool.ExitCode, tool.Output));
        Assert.Contains("No space left on device", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Invalid_recording_says_how_many_events_were_sent_before()
    {
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        File.WriteAllText(file, "{\"format\":\"reloaded-messaging recording 1\"}\n{\"time\":0,\"message\":\"0500000000016E\"}\nx");
        await using var target = await ListenAsync();

        var tool = await Tool.RunAsync("replay", file, target.Endpoint.ToString());

        Assert.Equal((2, $"Line 3 of the recording is invalid. Remove the line, or record again. 1 event of {file} had been sent before.\n"), (tool.ExitCode, tool.Error));
    }

    [Theory]
    [InlineData("a\u202Eb\0c\u007F", "a\\u202Eb\\u0000c\\u007F")]
    [InlineData("tab\tä\"<", "tab\\tä\\\"<")]
    public async Task Reply_is_exact_JSON_also_of_characters_that_a_terminal_obeys(string text, string expected)
    {
        await using var server = await ListenAsync();

        var tool = await Tool.RunAsync("request", server.Endpoint.ToString(), "GetMods", System.Text.Json.JsonSerializer.Serialize(new GetMods(text)), "--schema", Tool.Schema);

        Assert.Equal("", tool.Error);
        Assert.Contains($"\"{expected}\"", tool.Output, StringComparison.Ordinal);
        Assert.Equal(text, System.Text.Json.JsonDocument.Parse(tool.Output).RootElement.GetProperty("Names")[0].GetString());
    }

    [Fact]
    public async Task Recording_ends_with_the_connection_and_keeps_events()
    {
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        Task<Tool> recording;
        await using (var source = await ListenAsync())
        {
            var connected = source.Connection();
            recording = Tool.RunAsync("record", source.Endpoint.ToString(), file);
            await connected.InTime();
            source.Broadcast(new Move(1, 2));
        }

        var tool = await recording;

        Assert.Equal((3, $"recorded 1 event in {file}\n"), (tool.ExitCode, tool.Output));
        Assert.Contains("Goodbye", tool.Error);
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    [InlineData("{\"format\":\"reloaded-messaging recording 1\"}\nx")]
    [InlineData("{\"format\":\"reloaded-messaging recording 1\"}\n{\"time\":-1,\"message\":\"05\"}")]
    [InlineData("{\"format\":\"reloaded-messaging recording 1\"}\n{\"time\":0,\"message\":\"0\"}")]
    [InlineData("{\"format\":\"reloaded-messaging recording 1\"}\n{\"time\":0,\"message\":\"7F0400\"}")]
    public async Task Invalid_recording_is_one_line(string text)
    {
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        File.WriteAllText(file, text);
        await using var target = await ListenAsync();

        var tool = await Tool.RunAsync("replay", file, target.Endpoint.ToString());

        Assert.Equal(2, tool.ExitCode);
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
    }

    private Task<MessageServer> ListenAsync(MessageHostOptions? options = null) => MessageHost.ListenAsync(
        MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"),
        server =>
        {
            server.On((in Move move, Peer _) => _moves.Enqueue(move));
            server.OnRequest((GetMods request) => request.Filter == "fail"
                ? throw new RequestFaultException(1000, "no \"such\" filter 'fail'")
                : new ModList([request.Filter, request.Filter + "2"], TimeSpan.FromSeconds(1)));
        },
        options);
}
