using System;
using System.CommandLine;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Counts, prints, moves and removes the dead letters of a group at RabbitMQ.</summary>
internal static class DeadLettersCommand
{
    public static Command Create(ToolConsole console) => new("dead-letters", "Counts, prints, moves and removes the dead letters of a group at RabbitMQ.")
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
                try
                {
                    await foreach (var letter in queue.ReadAsync(cancellationToken))
                    {
                        read++;
                        if (!isSelected(letter))
                            continue;
                        await change(queue, letter, cancellationToken);
                        changed++;
                    }
                }
                finally
                {
                    console.Output.WriteLine(FormattableString.Invariant($"{done} {changed} of {read} dead letters"));
                }
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

/// <summary>The arguments that name the dead letters of a group at a broker.</summary>
internal sealed class BrokerArguments
{
    private readonly Argument<string> _broker = new("broker") { Description = "The broker: amqp://user:password@host:port/virtual-host, or amqps:// for TLS." };
    private readonly Option<string> _topic = new("--topic") { Description = "The topic of the group's subscription, with its wildcards.", Required = true };
    private readonly Option<string> _group = new("--group") { Description = "The name of the group.", Required = true };
    private readonly Option<string> _scope = new("--scope") { Description = "RabbitOptions.Scope of the hosts.", DefaultValueFactory = static _ => "reloaded" };
    private readonly Option<string?> _passwordFile = new("--password-file") { Description = "A file with the password, which the process list does not show." };

    public void AddTo(Command command)
    {
        command.Arguments.Add(_broker);
        command.Options.Add(_topic);
        command.Options.Add(_group);
        command.Options.Add(_scope);
        command.Options.Add(_passwordFile);
    }

    /// <summary>Connects to the broker and opens the dead letters.</summary>
    /// <exception cref="ToolException">Thrown when the arguments are invalid, when the connection failed, or when there is no queue of dead letters.</exception>
    public async Task<DeadLetterQueue> OpenAsync(ParseResult result, CancellationToken cancellationToken)
    {
        try
        {
            var options = new RabbitOptions
            {
                Name = "reloaded-messaging",
                Scope = result.GetValue(_scope)!,
                MessageLimits = MessageFormatter.Limits,
            };
            return await DeadLetterQueue.OpenAsync(CreateFactory(result), result.GetValue(_topic)!, result.GetValue(_group)!, options, cancellationToken);
        }
        catch (ArgumentException e)
        {
            throw new ToolException(ExitCode.Usage, e.Message);
        }
        catch (InvalidOperationException e)
        {
            throw ToolException.Invalid(e.Message);
        }
        catch (Exception e) when (e is BrokerUnreachableException or OperationInterruptedException)
        {
            throw new ToolException(ExitCode.NoConnection, $"The broker was not reached, or refused the connection: {e.GetBaseException().Message}");
        }
    }

    /// <exception cref="ToolException">Thrown when the text is not the address of a broker, or when the file of the password cannot be read.</exception>
    private ConnectionFactory CreateFactory(ParseResult result)
    {
        if (!Uri.TryCreate(result.GetValue(_broker), UriKind.Absolute, out var uri) || uri.Scheme is not ("amqp" or "amqps"))
            throw new ToolException(ExitCode.Usage, "The broker is not an address of AMQP. Use amqp://user@host:port/virtual-host, or amqps:// for TLS.");
        var factory = new ConnectionFactory { Uri = uri };
        if (result.GetValue(_passwordFile) is not { } file)
            return factory;
        try
        {
            factory.Password = File.ReadAllText(file).TrimEnd('\r', '\n');
            return factory;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The file {file} of --password-file cannot be read: {e.Message}");
        }
    }
}

/// <summary>The options that select dead letters.</summary>
internal sealed class DeadLetterFilter
{
    private readonly Option<ulong[]> _numbers = new("--number") { Description = "Selects dead letters by the number that their sender gave them. May be repeated.", DefaultValueFactory = static _ => [] };
    private readonly Option<string?> _type = new("--type") { Description = "Selects dead letters with a message of this type: its name in the schema, or its id." };
    private readonly Option<bool> _all = new("--all") { Description = "Selects all dead letters." };

    public void AddTo(Command command)
    {
        command.Options.Add(_numbers);
        command.Options.Add(_type);
    }

    /// <summary>Adds the options to a command that needs a selection.</summary>
    public void AddRequiredTo(Command command)
    {
        AddTo(command);
        command.Options.Add(_all);
        command.Validators.Add(result =>
        {
            var isSelected = result.GetValue(_numbers) is { Length: > 0 } || result.GetValue(_type) is not null;
            if (isSelected == result.GetValue(_all))
                result.AddError("Select dead letters by --number or --type, or all of them by --all.");
        });
    }

    /// <summary>Creates the condition for selected dead letters.</summary>
    /// <exception cref="ToolException">Thrown when the type is neither an id nor in the schema.</exception>
    public Func<DeadLetter, bool> Create(ParseResult result, Schema schema)
    {
        var numbers = result.GetValue(_numbers)!;
        uint? type = result.GetValue(_type) is not { } name ? null
            : uint.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id
            : schema.Find(name).Id;
        return letter => (numbers.Length == 0 || numbers.Contains(letter.Origin.Number)) && (type is null || letter.Messages.Any(message => TypeOf(message.Span) == type));
    }

    private static uint? TypeOf(ReadOnlySpan<byte> message) => MessageHeader.TryRead(message, out var header, out _) == HeaderStatus.Ok ? header.Type : null;
}
