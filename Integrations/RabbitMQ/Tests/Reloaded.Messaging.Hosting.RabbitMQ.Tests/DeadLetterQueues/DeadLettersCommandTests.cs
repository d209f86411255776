using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests.DeadLetterQueues;

/// <summary>The commands of the tool for dead letters.</summary>
public sealed class DeadLettersCommandTests(BrokerFixture broker) : IDisposable
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private const string Schema = """
        { "format": 1, "assembly": "Game", "contracts": [ { "id": 1, "name": "Game.Numbered", "kind": "message", "struct": true, "version": 1, "serializer": "binary", "compressor": null,
          "fields": [ { "number": 1, "name": "Number", "type": "i8", "code": "i8", "shape": "0000000118A6302B" } ] } ] }
        """;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Dead_letters_are_counted_shown_moved_and_removed()
    {
        await using var fleet = new Fleet(broker.Get());
        var schema = Path.Combine(_folder.FullName, "schema.json");
        await File.WriteAllTextAsync(schema, Schema);
        var host = await fleet.AddAsync();
        await using (await host.SubscribeAsync("orders.*", Kept, "shop"))
        {
            host.Publish("orders.books", new Numbered(41), Kept);
            host.Publish("orders.books", new Numbered(42), Kept);
            host.Publish("orders.books", new Unhandled(43), Kept);
            await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 3);
        }

        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 3 0 0");

        var shown = await RunAsync(fleet, "show", "--schema", schema);
        var lines = shown.Output.TrimEnd('\n').Split('\n');
        Assert.Equal((0, "", 3), (shown.ExitCode, shown.Error, lines.Length));
        Assert.Matches($"^\\d{{4}}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ rejected, deaths 1, sender {host.Id}, number 2, topic orders.books: event 1 Game.Numbered, 9 bytes: {{\"Number\":\"42\"}}$", lines[1]);
        Assert.EndsWith(": event 5, 5 bytes: 2B000000", lines[2]);
        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 3 0 0");

        Assert.Equal((0, "moved 1 of 3 dead letters\n", ""), await ChangeAsync(fleet, "move", "--type", "Numbered", "--number", "2", "--schema", schema));
        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 2 1 0");
        Assert.Equal((0, "removed 1 of 2 dead letters\n", ""), await ChangeAsync(fleet, "remove", "--type", "5"));
        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 1 1 0");
        Assert.Equal((0, "moved 1 of 1 dead letters\n", ""), await ChangeAsync(fleet, "move", "--all"));
        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 0 2 0");
    }

    [Fact]
    public async Task Move_shows_its_progress_on_a_terminal_and_says_what_it_did_when_it_is_interrupted()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await using (await host.SubscribeAsync("orders.*", Kept, "shop"))
        {
            for (var i = 0; i < 10; i++)
                host.Publish("orders.books", new Numbered(i), Kept);
            await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 10);
        }

        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 10 0 0");
        using var interrupted = new CancellationTokenSource();
        using var output = new StringWriter();
        using var error = new InterruptingWriter(interrupted, writes: 4); // amid the fourth dead letter
        var console = new ToolConsole(TextReader.Null, output, error, new TestTerminal(), isErrorTerminal: true) { Clock = new StepClock(TimeSpan.FromSeconds(1)) };

        var exitCode = await CommandLine.RunAsync(Arguments(fleet, "move", "--all"), console, interrupted.Token);

        Assert.Equal((4, "moved 3 of 4 dead letters\n"), (exitCode, output.ToString().ReplaceLineEndings("\n")));
        Assert.StartsWith("\rmoved 0 of 1 dead letters\rmoved 1 of 2 dead letters\rmoved 2 of 3 dead letters\rmoved 3 of 4 dead letters\r  ", error.ToString(), StringComparison.Ordinal);
        Assert.EndsWith(" \rThe command was interrupted before it was done." + Environment.NewLine, error.ToString(), StringComparison.Ordinal);
        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 7 3 0");
    }

    [Fact]
    public async Task Move_without_queue_of_group_prints_its_count_and_fails()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await host.SubscribeAsync("orders.*", Kept, "shop");
        host.Publish("orders.books", new Numbered(1), Kept);
        await Until.TrueAsync(async () => (await CountAsync(fleet)).StartsWith("orders.* shop 1 0 ", StringComparison.Ordinal));
        await using var bare = await fleet.AddBareAsync();
        await host.DisposeAsync();
        await bare.QueueDeleteAsync($"{fleet.Scope}.kept.shop.orders.*", ifUnused: false, ifEmpty: false);

        var (exitCode, output, error) = await ChangeAsync(fleet, "move", "--all");

        Assert.Equal((4, "moved 0 of 1 dead letters\n"), (exitCode, output));
        Assert.Contains("Subscribe a host with the group", error);
        await Until.TrueAsync(async () => await CountAsync(fleet) == "orders.* shop 1 0 0");
    }

    [Fact]
    public async Task Broker_group_or_password_that_is_wrong_is_one_line()
    {
        await using var fleet = new Fleet(broker.Get());
        var password = Path.Combine(_folder.FullName, "password");
        await File.WriteAllTextAsync(password, "wrong\n");

        var group = await RunAsync(fleet, "list");
        var wrong = await RunAsync(fleet, "list", "--password-file", password);
        var missing = await RunAsync(fleet, "list", "--password-file", password + "2");
        var nobody = await Tool.RunAsync("list", "amqp://127.0.0.1:1", "--topic", "orders.*", "--group", "shop");

        Assert.Equal((2, 3, 2, 3), (group.ExitCode, wrong.ExitCode, missing.ExitCode, nobody.ExitCode));
        Assert.Contains("Check the topic with its wildcards", group.Error);
        Assert.Contains("ACCESS_REFUSED", wrong.Error);
        Assert.Contains("Connection refused", nobody.Error);
        Assert.All([group, wrong, missing, nobody], static tool => Assert.Single(tool.Error.TrimEnd('\n').Split('\n')));
    }

    /// <summary>Returns the row of <c>list</c>, with single spaces.</summary>
    private static async Task<string> CountAsync(Fleet fleet)
    {
        var tool = await RunAsync(fleet, "list");
        Assert.True(tool.ExitCode == 0, tool.Error);
        return string.Join(' ', tool.Output.Split('\n')[1].Split(' ', StringSplitOptions.RemoveEmptyEntries));
    }

    private static async Task<(int ExitCode, string Output, string Error)> ChangeAsync(Fleet fleet, params string[] arguments)
    {
        var tool = await RunAsync(fleet, arguments);
        return (tool.ExitCode, tool.Output, tool.Error);
    }

    private static Task<Tool> RunAsync(Fleet fleet, params string[] arguments) =>
        Tool.RunAsync(Arguments(fleet, arguments));

    private static string[] Arguments(Fleet fleet, params string[] arguments) => [arguments[0], $"amqp://127.0.0.1:{fleet.Port}", "--topic", "orders.*", "--group", "shop", "--scope", fleet.Scope, .. arguments.Skip(1)];
}
