using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints the help of a command, and its examples.</summary>
internal sealed class HelpWithExamples(HelpAction help) : SynchronousCommandLineAction
{
    private static readonly Dictionary<string, string[]> s_examples = new()
    {
        ["list"] = ["list"],
        ["watch"] = ["watch 4711 --name game", "watch tcp://game.example:5000 --tls --token-file token.txt", "watch unix:///run/user/1000/game.sock --count 10 > watch.log"],
        ["decode"] = ["decode 0503000000 --schema contracts.schema.json", "decode 0503 --as message", "decode capture.pcap --schema contracts.schema.json --port 5000", "decode events.jsonl --assembly Game.dll"],
        ["send"] = ["""send tcp://localhost:5000 Game.Move '{"X": 1, "Y": 2}' --schema contracts.schema.json"""],
        ["request"] = ["""request 4711 --name game Game.GetMods '{}' --schema contracts.schema.json"""],
        ["record"] = ["record 4711 events.jsonl --name game --seconds 60", "record tcp://localhost:5000 events.jsonl --count 1000"],
        ["dead-letters list"] = ["dead-letters list amqp://localhost --topic results --group lobby"],
        ["dead-letters show"] = ["dead-letters show amqp://localhost --topic results --group lobby --assembly Game.dll"],
        ["dead-letters move"] = ["dead-letters move amqps://admin@broker.example/fleet --password-file password.txt --topic results --group lobby --all"],
        ["dead-letters remove"] = ["dead-letters remove amqp://localhost --topic results --group lobby --number 17"],
        ["replay"] = ["replay events.jsonl tcp://localhost:5000", "replay events.jsonl tcp://localhost:5000 --speed 0"],
    };

    public override int Invoke(ParseResult parseResult)
    {
        var result = help.Invoke(parseResult);
        var output = parseResult.InvocationConfiguration.Output;
        var command = parseResult.CommandResult.Command;
        var name = command.Parents.FirstOrDefault() is Command parent and not RootCommand ? $"{parent.Name} {command.Name}" : command.Name;
        if (s_examples.TryGetValue(name, out var examples))
        {
            output.WriteLine("Examples:");
            foreach (var example in examples)
                output.WriteLine($"  reloaded-messaging {example}");
            output.WriteLine();
        }

        output.WriteLine("Exit codes: 0 success, 1 invalid command line, 2 invalid input, 3 no connection, 4 not sent or no reply, 5 fault.");
        return result;
    }
}
