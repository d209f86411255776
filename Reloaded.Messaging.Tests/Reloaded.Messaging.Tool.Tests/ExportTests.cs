using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The definitions that <c>export</c> writes compile, and describe the values of the clients and of the tool.</summary>
public sealed class ExportTests : IDisposable
{
    private static readonly string s_vectors = Path.Combine(AppContext.BaseDirectory, "vectors", "contracts.schema.json");
    private static readonly string s_clients = Path.Combine(RepositoryFolder.FullName, "Clients");

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task TypeScript_of_every_kind_of_member_is_strict()
    {
        await ExportAsync("typescript", "own.ts", Tool.Schema);
        await ExportAsync("typescript", "vectors.ts", s_vectors);
        Write("use.ts", """
            import { Everything, Failed, Messages, Outcome, Part, Place, Replies, Rights, Side, StreamItems, Large } from "./own.js";
            const place: Place = [1, 2, Side.Enemy];
            const part: Part = { None: true, Parts: [] };
            const outcome: Outcome = { $type: "Reloaded.Messaging.Tests.Exported.Failed", Id: "a", Reason: "b" };
            const reply: Replies["Reloaded.Messaging.Tests.Exported.Load"] = outcome;
            const line: StreamItems["Reloaded.Messaging.Tests.Exported.Tail"] = { Text: "a" };
            const move: Messages["Reloaded.Messaging.Tests.Move"] = { X: 1, Y: 2, Name: "" };
            export function read(m: Everything): string | null {
                const name: string | null = m.Tuple[1];
                const parts: (Part | null)[] = m.ByName.get("a") ?? [part, null];
                const bytes: Uint8Array = m.Data;
                const large: bigint = Large.Most;
                m.Rights = Rights.Read | Rights.Write;
                if (m.Outcome?.$type === "Reloaded.Messaging.Tests.Exported.Failed") {
                    const failed: Failed = m.Outcome;
                    return failed.Reason;
                }
                return name ?? `${parts.length} ${bytes.length} ${large} ${reply} ${line.Text} ${move.X} ${m.ByNumber?.get(1)?.[0] ?? place[0]}`;
            }

            // The compiler reports a line below that is right.
            // @ts-expect-error
            export const ofOtherType: Part = { None: 1, Parts: [] };
            // @ts-expect-error
            export const withoutField: Part = { Parts: [] };
            // @ts-expect-error
            export const withOtherField: Part = { None: true, Parts: [], Other: 1 };
            // @ts-expect-error
            export const ofOtherNumber: Side = 3;
            // @ts-expect-error
            export const ofOtherUnion: Outcome = { $type: "Other", Id: "a" };
            // @ts-expect-error
            export const ofOtherLength: Place = [1, 2];
            """);

        await RunAsync(FindTypeScript(), "--strict", "--noEmit", "--noUnusedLocals", "--target", "es2022", "--module", "nodenext", "own.ts", "vectors.ts", "use.ts");
    }

    [Fact]
    public async Task TypeScript_is_checked_by_the_JavaScript_client()
    {
        await ExportAsync("typescript", "own.ts", Tool.Schema);
        File.Copy(Path.Combine(s_clients, "javascript", "index.d.ts"), Path.Combine(_folder.FullName, "client.d.ts"));
        Write("use.ts", """
            import { Client, Schema } from "./client.js";
            import { Messages, Part, Replies, StreamItems } from "./own.js";
            const client = new Client<{ messages: Messages; replies: Replies; items: StreamItems }>("ws://127.0.0.1:7777/", new Schema());
            const part: Part = { None: true, Parts: [] };
            export async function use(): Promise<string> {
                await client.send("Move", { X: 1, Y: 2 });
                await client.send("Reloaded.Messaging.Tests.Exported.Part", part);
                await new Client("ws://127.0.0.1:7777/", new Schema()).send("Part", part);
                client.on("Move", move => move.X.toFixed() + move.Name.length);
                client.onRequest("Load", "Failed", (_, { signal }) => ({ Id: "a", Reason: String(signal.reason) }));
                for await (const line of client.stream("Tail"))
                    return line.Text;
                return (await client.request("Load")).$type;
            }

            // The compiler reports a line below that is right.
            export async function fail(): Promise<void> {
                // @ts-expect-error
                await client.send("Mov", {});
                // @ts-expect-error
                await client.send("Move", { Z: 1 });
                // @ts-expect-error
                await client.send("Move", { X: "1" });
                // @ts-expect-error
                client.onRequest("Load", "Failed", () => ({ Id: 5 }));
                // @ts-expect-error
                (await client.request("Load")).Other;
            }
            """);

        await RunAsync(FindTypeScript(), "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "own.ts", "use.ts");
    }

    [Fact]
    public async Task Python_of_every_kind_of_member_is_strict_and_has_the_defaults()
    {
        await ExportAsync("python", "own.py", Tool.Schema);
        await ExportAsync("python", "vectors.py", s_vectors);
        Write("use.py", """
            from dataclasses import asdict
            from decimal import Decimal
            from uuid import UUID

            import vectors
            from own import Everything, Failed, Large, Loaded, Outcome, Part, Place, Rights, Side, Tail

            value = Everything(Id=UUID(int=1), Version="1.0", Part=Part())
            place: Place = (0.0, 0.0, 0)
            outcome: Outcome = Failed(Id="a")
            name: str | None = value.Tuple[1]
            parts: list[Part | None] = value.ByName.get("a", [None])
            assert value.Side is Side.Enemy and value.OtherSide is Side.Friend and value.Rights == Rights.Read | Rights.Write and value.Large == Large.Most == 2**64 - 1
            assert value.Count is None and value.Place == place and value.Rate != value.Rate and value.Price == Decimal("1.50") and value.Letter == "ß" and value.Text == '"\\\n'
            assert value.Tags == [] and value.Data == b"" and value.Link is None and value.lambda_ == 0 and value.list == [] and value.Part.None_
            assert isinstance(outcome, Failed) and outcome.Reason == "unknown" and outcome.contract == "Reloaded.Messaging.Tests.Exported.Failed"
            assert asdict(vectors.Square(Side=2.0)) == {"Side": 2.0, "Color": "red"}
            assert Tail.__doc__ == "Reads the log of a mod. The reply is a stream of Line."
            print(Loaded(Id="x").Id, name, parts)


            def wrong() -> None:  # mypy reports a comment that is not needed
                Part(None_=1)  # type: ignore[arg-type]
                Part(True)  # type: ignore[misc]
                Everything()  # type: ignore[call-arg]
                Part(Parts=[1])  # type: ignore[list-item]
            """);

        await RunAsync(FindMypy(), "--strict", "--follow-imports=silent", "--cache-dir", "cache", "own.py", "vectors.py", "use.py");
        await RunAsync([Find("python3", "Install it with 'apt-get install python3'.")], "use.py");
    }

    [Theory]
    [InlineData("json-schema")]
    [InlineData("asyncapi")]
    public async Task References_of_document_are_in_it(string form)
    {
        foreach (var schema in new[] { Tool.Schema, s_vectors })
        {
            var document = JsonDocument.Parse((await Tool.RunAsync("export", "--to", form, "--schema", schema)).Output).RootElement;

            var references = Regex.Matches(document.GetRawText(), "\"\\$ref\": \"#/(.*?)\"");
            Assert.NotEmpty(references);
            foreach (var reference in references.Select(static one => one.Groups[1].Value).Distinct())
                Assert.True(reference.Split('/').Aggregate((JsonElement?)document, static (at, name) => at is { } found && found.TryGetProperty(name, out var next) ? next : null) is not null, reference);
        }
    }

    [Fact]
    public async Task Json_schema_describes_the_json_of_the_tool()
    {
        var all = JsonDocument.Parse((await Tool.RunAsync("export", "--to", "json-schema", "--schema", Tool.Schema)).Output).RootElement.GetProperty("$defs");
        var properties = all.GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("properties");

        Assert.True(all.GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("deprecated").GetBoolean());
        Assert.Equal("The id of the mod.", properties.GetProperty("Id").GetProperty("description").GetString());
        Assert.Equal("5", properties.GetProperty("Side").GetProperty("default").GetRawText());
        Assert.True(properties.GetProperty("Tags").GetProperty("uniqueItems").GetBoolean());
        Assert.Equal("#/$defs/Reloaded.Messaging.Tests.Exported.Part", properties.GetProperty("Part").GetProperty("$ref").GetString());
        Assert.Equal(["Version", "Part"], all.GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("required").EnumerateArray().Select(static one => one.GetString()));
        Assert.Equal("object", properties.GetProperty("ByName").GetProperty("type").GetString());
        Assert.Equal(2, all.GetProperty("Reloaded.Messaging.Tests.Exported.Outcome").GetProperty("oneOf").GetArrayLength());
        Assert.Equal(
            ["At_X", "At_Y", "Side"],
            all.GetProperty("Reloaded.Messaging.Tests.Exported.Place").GetProperty("prefixItems").EnumerateArray().Select(static one => one.GetProperty("description").GetString()));
    }

    [Fact]
    public async Task Asyncapi_has_an_operation_for_each_request_and_event()
    {
        var document = JsonDocument.Parse((await Tool.RunAsync("export", "--to", "asyncapi", "--title", "Game", "--schema", Tool.Schema)).Output).RootElement;
        var operations = document.GetProperty("operations");

        Assert.Equal(("3.0.0", "Game"), (document.GetProperty("asyncapi").GetString(), document.GetProperty("info").GetProperty("title").GetString()));
        Assert.Equal("receive", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Load").GetProperty("action").GetString());
        Assert.Contains("Exported.Outcome", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Load").GetProperty("reply").GetRawText(), StringComparison.Ordinal);
        Assert.Equal("send", operations.GetProperty("Reloaded.Messaging.Tests.Log").GetProperty("action").GetString());
        Assert.False(operations.TryGetProperty("Reloaded.Messaging.Tests.Exported.Outcome", out _));
        Assert.Equal("receive", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Tail").GetProperty("action").GetString());
        Assert.Contains("Exported.Line", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Tail").GetProperty("reply").GetRawText(), StringComparison.Ordinal);
        Assert.False(operations.TryGetProperty("Reloaded.Messaging.Tests.Exported.Line", out _));
        Assert.Equal(20, document.GetProperty("components").GetProperty("messages").GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("x-message-id").GetInt32());
    }

    [Fact]
    public async Task Asyncapi_document_of_the_dashboard_is_that_of_its_schema()
    {
        var folder = Path.Combine(RepositoryFolder.FullName, "Examples", "Dashboard");
        var tool = await Tool.RunAsync("export", "--to", "asyncapi", "--title", "the dashboard", "--schema", Path.Combine(folder, "contracts.schema.json"));

        Assert.Equal(tool.Output, await File.ReadAllTextAsync(Path.Combine(folder, "asyncapi.json"), TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData("typescript")]
    [InlineData("python")]
    [InlineData("c")]
    [InlineData("csharp2")]
    [InlineData("json-schema")]
    [InlineData("asyncapi")]
    public async Task Assembly_is_exported_as_its_schema_file(string form)
    {
        var byFile = await Tool.RunAsync("export", "--to", form, "--schema", Tool.Schema);

        Assert.Equal((0, ""), (byFile.ExitCode, byFile.Error));
        Assert.Equal(byFile, await Tool.RunAsync("export", "--to", form, "--assembly", typeof(Move).Assembly.Location));
    }

    [Theory]
    [InlineData("""{ "contracts": [] }""", "There is no contract to export.")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "i4", "shape": "1" }] }] }""", "it has format 1. Write the schema again")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "[i4]", "declared": "list", "shape": "1" }] }] }""", "invalid at position 4")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "(i4:i4)", "declared": "(int32)", "shape": "1" }] }] }""", "which is invalid")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "m6", "declared": "N", "shape": "1" }] }] }""", "no type named 'N'. Name the schema that has it")]
    public async Task Schema_that_cannot_be_exported_is_one_line(string schema, string expected)
    {
        Write("wrong.json", schema);

        var tool = await Tool.RunAsync("export", "--to", "python", "--schema", Path.Combine(_folder.FullName, "wrong.json"), "--output", Path.Combine(_folder.FullName, "out.py"));

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains(expected, Assert.Single(tool.Error.TrimEnd('\n').Split('\n')), StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(_folder.FullName, "out.py")));
    }

    [Theory]
    [InlineData("null", "", "NULL", "null")]
    [InlineData("\"Game.Compressor\"", ", \"compressorName\": null", "\"Game.Compressor\"", "\"Game.Compressor\"")]
    [InlineData("\"Game.Compressor\"", ", \"compressorName\": \"lz4\"", "\"lz4\"", "\"lz4\"")]
    public async Task Unknown_compressor_is_not_exported_as_none(string compressor, string member, string c, string csharp)
    {
        Write("schema.json", $$"""{ "contracts": [{ "id": 5, "name": "Game.M", "kind": "message", "struct": false, "version": 1, "compressor": {{compressor}}{{member}}, "role": "event", "layout": "o", "fields": [] }] }""");

        await ExportAsync("c", "game.h", Path.Combine(_folder.FullName, "schema.json"));
        await ExportAsync("csharp2", "Game.cs", Path.Combine(_folder.FullName, "schema.json"));

        Assert.Contains($"\"binary\", {c}, ", Read("game.h"), StringComparison.Ordinal);
        Assert.Contains($"\"Game.M\", {csharp}, ", Read("Game.cs"), StringComparison.Ordinal);

        string Read(string file) => File.ReadAllText(Path.Combine(_folder.FullName, file));
    }

    private async Task ExportAsync(string form, string file, string schema)
    {
        var tool = await Tool.RunAsync("export", "--to", form, "--schema", schema, "--output", Path.Combine(_folder.FullName, file));
        Assert.Equal((0, "", ""), (tool.ExitCode, tool.Error, tool.Output));
    }

    private void Write(string file, string text) => File.WriteAllText(Path.Combine(_folder.FullName, file), text);

    private async Task RunAsync(string[] program, params string[] arguments)
    {
        var (exitCode, output) = await StartAsync(program, arguments);
        Assert.True(exitCode == 0, output);
    }

    private async Task<(int ExitCode, string Output)> StartAsync(string[] program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program[0], program.Skip(1).Concat(arguments)) { WorkingDirectory = _folder.FullName, RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["MYPYPATH"] = start.Environment["PYTHONPATH"] = Path.Combine(s_clients, "python");
        using var process = Process.Start(start)!;
        var (output, error) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        await process.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(TimeSpan.FromMinutes(2));
        return (process.ExitCode, await output + await error);
    }

    private static string[] FindTypeScript()
    {
        const string Advice = "Install it with 'npm install --prefix artifacts/typescript typescript@5.9'.";
        var node = Find("node", Advice);
        var compiler = Path.Combine(RepositoryFolder.FullName, "artifacts", "typescript", "node_modules", "typescript", "bin", "tsc");
        Assert.SkipUnless(File.Exists(compiler), $"The TypeScript compiler is not installed. {Advice}");
        return [node, compiler];
    }

    private static string[] FindMypy() => [Find("mypy", "Install it with 'apt-get install mypy'.")];

    private static string Find(string program, string advice)
    {
        var found = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Select(folder => Path.Combine(folder, program)).FirstOrDefault(File.Exists);
        Assert.SkipUnless(found is not null, $"{program} is not installed. {advice}");
        return found!;
    }
}
