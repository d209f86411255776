using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Tool;

/// <summary>Counts, prints, moves and removes the dead letters of a group at RabbitMQ.</summary>
internal static class CommandLine
{
    private static readonly Dictionary<string, string[]> s_examples = new()
    {
        ["list"] = ["list amqp://localhost --topic results --group lobby"],
        ["show"] = ["show amqp://localhost --topic results --group lobby --assembly Game.dll"],
        ["move"] = ["move amqps://admin@broker.example/fleet --password-file password.txt --topic results --group lobby --all"],
        ["remove"] = ["remove amqp://localhost --topic results --group lobby --number 17"],
    };

    /// <summary>Runs the tool. Never throws: every error is one line, and an exit code.</summary>
    public static Task<int> RunAsync(string[] args, ToolConsole console, CancellationToken cancellationToken = default) =>
        CommandRunner.RunAsync(Create(console), "reloaded-messaging-dead-letters", s_examples, args, console, cancellationToken);

    private static RootCommand Create(ToolConsole console) => new("Counts, prints, moves and removes the dead letters of a group at RabbitMQ.")
    {
        CreateList(console),
        CreateShow(console),
        CreateChange(console, "move", "moved", "Moves dead letters back to the queue of their group.", static (queue, letter, cancellationToken) => queue.MoveAsync(letter, cancellationToken)),
        CreateChange(console, "remove", "removed", "Removes dead letters from the broker.", static (queue, letter, cancellationToken) => queue.RemoveAsync(letter, cancellationToken)),
    };

    private static Command CreateList(ToolConsole console)
    {
        var broker = new BrokerArguments();
        var command = new Command("list", "Counts the dead letters of a group, the messages that wait for it, and the consumers of its queue.");
        broker.AddTo(command);
        command.SetAction((result, cancellationToken) => RunAsync(broker, result, async queue =>
        {
            var counts = await queue.CountAsync(cancellationToken);
            console.PrintTable([["topic", "group", "dead-letters", "waiting", "consumers"], [queue.Topic, queue.Group, Format(counts.DeadLetters), Format(counts.Waiting), Format(counts.Consumers)]]);
        }, cancellationToken));
        return command;
    }

    private static Command CreateShow(ToolConsole console)
    {
        var (broker, schema, filter) = (new BrokerArguments(), new SchemaArguments(), new DeadLetterFilter());
        var command = new Command("show", "Prints dead letters, which stay where they are.");
        broker.AddTo(command);
        filter.AddTo(command);
        schema.AddTo(command);
        command.SetAction((result, cancellationToken) =>
        {
            var contracts = schema.Load(result);
            var (isSelected, dump) = (filter.Create(result, contracts), new Dump(console.Output, new MessageFormatter(contracts)));
            return RunAsync(broker, result, async queue =>
            {
                await foreach (var letter in queue.ReadAsync(cancellationToken))
                {
                    if (isSelected(letter))
                        Print(dump, letter);
                }
            }, cancellationToken);
        });
        return command;
    }

    private static Command CreateChange(ToolConsole console, string name, string done, string description, Func<DeadLetterQueue, DeadLetter, CancellationToken, Task> change)
    {
        var (broker, schema, filter) = (new BrokerArguments(), new SchemaArguments(), new DeadLetterFilter());
        var command = new Command(name, description);
        broker.AddTo(command);
        filter.AddRequiredTo(command);
        schema.AddTo(command);
        command.SetAction((result, cancellationToken) =>
        {
            var isSelected = filter.Create(result, schema.Load(result));
            return RunAsync(broker, result, async queue =>
            {
                var (changed, read) = (0, 0);
                var progress = console.CreateProgress(printsAtEnd: true);
                try
                {
                    await foreach (var letter in queue.ReadAsync(cancellationToken))
                    {
                        read++;
                        progress.Show(Describe);
                        if (!isSelected(letter))
                            continue;
                        await change(queue, letter, cancellationToken);
                        changed++;
                    }
                }
                finally
                {
                    progress.Dispose();
                    console.Output.WriteLine(Describe());
                }

                string Describe() => FormattableString.Invariant($"{done} {changed} of {read} dead letters");
            }, cancellationToken);
        });
        return command;
    }

    private static async Task<int> RunAsync(BrokerArguments broker, ParseResult result, Func<DeadLetterQueue, Task> run, CancellationToken cancellationToken)
    {
        await using var queue = await broker.OpenAsync(result, cancellationToken);
        try
        {
            await run(queue);
            return ExitCode.Success;
        }
        catch (OperationInterruptedException e)
        {
            throw new ToolException(ExitCode.NoConnection, $"The connection to the broker ended: {e.Message}");
        }
        catch (InvalidOperationException e)
        {
            throw new ToolException(ExitCode.NotDelivered, e.Message);
        }
    }

    private static void Print(Dump dump, DeadLetter letter)
    {
        var number = letter.Origin.Number;
        foreach (var message in letter.Messages)
            dump.Print(string.Create(CultureInfo.InvariantCulture, $"{letter.Time:yyyy-MM-ddTHH:mm:ssZ} {letter.Reason}, deaths {letter.Deaths}, sender {letter.Origin.Sender}, number {number++}, topic {letter.Origin.Topic}: "), message.Span);
    }

    private static string Format(long number) => number.ToString(CultureInfo.InvariantCulture);
}
