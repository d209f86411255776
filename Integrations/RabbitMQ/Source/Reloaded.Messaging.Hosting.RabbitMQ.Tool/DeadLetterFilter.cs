using System;
using System.CommandLine;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

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
            var isSelected = result.GetResult(_numbers) is { Implicit: false } || // a wrong number has an error of its own
                result.GetValue(_type) is not null;
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
