using System;
using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tool;

/// <summary>The commands of the tool, and their errors.</summary>
internal static class CommandLine
{
    private const int BrokenPipe = 32; // EPIPE

    /// <summary>Runs the tool. Never throws: every error is one line, and an exit code.</summary>
    public static async Task<int> RunAsync(string[] args, ToolConsole console, CancellationToken cancellationToken = default)
    {
        try
        {
            var root = Create(console);
            var configuration = new InvocationConfiguration { Output = console.Output, Error = console.Error, EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null };
            var command = root.Parse(args);
            return command.Action is ParseErrorAction
                ? Fail(console, ExitCode.Usage, Describe(command))
                : await command.InvokeAsync(configuration, cancellationToken);
        }
        catch (ToolException e)
        {
            return Fail(console, e.ExitCode, e.Message);
        }
        catch (IOException e) when (e.HResult == BrokenPipe && !OperatingSystem.IsWindows())
        {
            return ExitCode.Success; // the reader of the output has read enough
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return Fail(console, ExitCode.InvalidInput, e.Message);
        }
        catch (OperationCanceledException)
        {
            return Fail(console, ExitCode.NotDelivered, "The command was interrupted before it was done.");
        }
        catch (Exception e)
        {
            return Fail(console, ExitCode.InvalidInput, $"The tool failed, which is a defect of the tool. {e.GetType().Name}: {e.Message}");
        }
    }

    private static RootCommand Create(ToolConsole console)
    {
        var root = new RootCommand("Creates a server and its client. Lists and watches servers of Reloaded.Messaging, and decodes, sends, records and replays their messages. Exports contracts. Moves dead letters at RabbitMQ.")
        {
            NewCommand.Create(console),
            ListCommand.Create(console),
            WatchCommand.Create(console),
            DecodeCommand.Create(console),
            ExportCommand.Create(console),
            SendCommand.Create(console),
            RequestCommand.Create(console),
            RecordCommand.Create(console),
            ReplayCommand.Create(console),
            DeadLettersCommand.Create(console),
        };
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new HelpWithExamples((HelpAction)help.Action!);
        return root;
    }

    private static int Fail(ToolConsole console, int exitCode, string message)
    {
        console.Error.WriteLine(message.ReplaceLineEndings(" "));
        return exitCode;
    }

    /// <summary>Describes the errors of a command line. The parser writes choices one below the other, and types by their .NET names.</summary>
    private static string Describe(ParseResult command)
    {
        var errors = string.Join(" ", command.Errors.Select(static error => error.Message));
        errors = Regex.Replace(Regex.Replace(errors, "'\\s+'", "', '"), " as expected type '\\S+'", " as a number").ReplaceLineEndings(" ").Replace("\t", "", StringComparison.Ordinal);
        var name = string.Join(" ", command.CommandResult.Command.Parents.OfType<Command>().Append(command.CommandResult.Command).Where(static one => one is not RootCommand).Select(static one => $" {one.Name}"));
        return $"{errors.TrimEnd('.')}. See 'reloaded-messaging{name} --help'.";
    }
}

/// <summary>Prints the help of a command, and its examples.</summary>
internal sealed class HelpWithExamples(HelpAction help) : SynchronousCommandLineAction
{
    private static readonly Dictionary<string, string[]> s_examples = new()
    {
        ["new"] = ["new game", "new game --framework net8.0"],
        ["list"] = ["list"],
        ["watch"] = ["watch 4711 --name game", "watch tcp://game.example:5000 --tls --token-file token.txt", "watch unix:///run/user/1000/game.sock --count 10 > watch.log"],
        ["decode"] = ["decode 0503000000 --schema contracts.schema.json", "decode 0503 --as message", "decode capture.pcap --schema contracts.schema.json --port 5000", "decode events.jsonl --assembly Game.dll"],
        ["export"] = ["export --to typescript --schema contracts.schema.json", "export --to python --assembly Game.dll --output game.py", "export --to c --assembly Game.dll --output game.h", "export --to csharp2 --assembly Game.dll --output Game.cs"],
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
