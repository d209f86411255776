using System.CommandLine;

namespace Reloaded.Messaging.Tool;

/// <summary>The commands of the tool.</summary>
internal static class CommandLine
{
    private static readonly Dictionary<string, string[]> s_examples = new()
    {
        [""] = ["new game", "list", "watch 4711 --name game"],
        ["new"] = ["new game", "new game --framework net8.0"],
        ["key"] = ["key server.pem"],
        ["list"] = ["list"],
        ["watch"] = ["watch 4711 --name game", "watch tcp://game.example:5000 --tls --token-file token.txt", "watch unix:///run/user/1000/game.sock --count 10 > watch.log"],
        ["decode"] = ["decode 09050100000002000000 --schema contracts.schema.json", "decode 050100000002000000 --as message", "decode capture.pcap --schema contracts.schema.json --port 5000", "decode events.jsonl --assembly Game.dll"],
        ["export"] = ["export --to typescript --schema contracts.schema.json", "export --to python --assembly Game.dll --output game.py", "export --to c --assembly Game.dll --output game.h", "export --to csharp2 --assembly Game.dll --output Game.cs"],
        ["send"] = ["""send tcp://localhost:5000 Move '{"X": 1, "Y": 2}' --schema contracts.schema.json"""],
        ["request"] = ["""request 4711 --name game GetMods '{}' --schema contracts.schema.json"""],
        ["record"] = ["record 4711 events.jsonl --name game --seconds 60", "record tcp://localhost:5000 events.jsonl --count 1000"],
        ["replay"] = ["replay events.jsonl tcp://localhost:5000", "replay events.jsonl tcp://localhost:5000 --speed 0"],
    };

    /// <summary>Runs the tool. Never throws: every error is one line, and an exit code.</summary>
    public static Task<int> RunAsync(string[] args, ToolConsole console, CancellationToken cancellationToken = default) => CommandRunner.RunAsync(
        new RootCommand("Creates a server and its client, and the key of a server. Lists and watches servers of Reloaded.Messaging, and decodes, sends, records and replays their messages. Exports contracts.")
        {
            NewCommand.Create(console),
            KeyCommand.Create(console),
            ListCommand.Create(console),
            WatchCommand.Create(console),
            DecodeCommand.Create(console),
            ExportCommand.Create(console),
            SendCommand.Create(console),
            RequestCommand.Create(console),
            RecordCommand.Create(console),
            ReplayCommand.Create(console),
        },
        "reloaded-messaging",
        s_examples,
        args,
        console,
        cancellationToken);
}
