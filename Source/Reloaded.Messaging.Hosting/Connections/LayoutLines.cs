using System;
using System.Collections.Generic;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>Writes the layouts of contracts of this side as lines. docs/wire-format.md specifies them.</summary>
internal static class LayoutLines
{
    /// <summary>Returns the lines of contracts and of the messages inside them.</summary>
    public static ContractLayouts Of(IReadOnlyList<MessageContract> contracts) => new(Write(contracts, int.MaxValue));

    /// <summary>Writes the layouts of contracts and of the messages inside them.</summary>
    /// <param name="contracts">The contracts.</param>
    /// <param name="maxLength">The maximum number of characters. Lines that do not fit are left out, and such messages are not compared.</param>
    /// <returns>The text; empty if no contract has a layout.</returns>
    public static string Write(IReadOnlyList<MessageContract> contracts, int maxLength)
    {
        var lines = new List<MessageContract>(contracts);
        var numbers = new Dictionary<MessageContract, int>(contracts.Count);
        for (var i = 0; i < contracts.Count; i++)
            numbers.TryAdd(contracts[i], i);

        var text = new StringBuilder();
        var enums = new Dictionary<string, int>(StringComparer.Ordinal);
        var hasLayout = false;
        for (var i = 0; i < lines.Count; i++)
        {
            var start = text.Length;
            if (lines[i].Shape is { Layout: { } layout } shape)
            {
                text.Append(lines[i].Type).Append(' ').Append(lines[i].Version).Append(' ').Append(NameOf(lines[i].MessageType)).Append(' ');
                Append(layout, shape.Nested);
                hasLayout = true;
            }

            text.Append('\n');
            if (text.Length > maxLength)
            {
                text.Length = start;
                break;
            }
        }

        return hasLayout ? text.ToString() : "";

        void Append(string layout, ReadOnlySpan<MessageContract> nested)
        {
            var rest = layout.AsSpan();
            for (var at = rest.IndexOfAny('@', '<'); at >= 0; at = rest.IndexOfAny('@', '<'))
            {
                text.Append(rest.Slice(0, at + 1));
                var isMessage = rest[at] == '@';
                rest = rest.Slice(at + 1);
                if (isMessage)
                    AppendNumber(nested[LayoutCode.TakeNumber(ref rest)]);
                else
                    AppendMembers(ref rest);
            }

            text.Append(rest);
        }

        void AppendNumber(MessageContract contract)
        {
            if (!numbers.TryGetValue(contract, out var number))
            {
                number = lines.Count;
                numbers.Add(contract, number);
                lines.Add(contract);
            }

            text.Append(number);
        }

        // A list of members is written once. Later, its number takes its place.
        void AppendMembers(ref ReadOnlySpan<char> rest)
        {
            var members = rest.Slice(0, rest.IndexOf('>')).ToString();
            rest = rest.Slice(members.Length);
            if (members.Length == 0)
                return;
            if (enums.TryGetValue(members, out var number))
                text.Append('=').Append(number);
            else
                text.Append(members);
            enums.TryAdd(members, enums.Count);
        }
    }

    // The name is text for people, so a character with a meaning in a line is replaced.
    private static string NameOf(Type type) => type.Name.Replace(' ', '_').Replace('\n', '_').Replace(';', '_');
}
