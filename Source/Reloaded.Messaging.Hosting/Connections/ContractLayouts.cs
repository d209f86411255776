using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The layouts of announced contracts and of all messages inside them, as text: one line for each. docs/wire-format.md specifies it.</summary>
/// <remarks>The first lines belong to the announced contracts in their order. A line is empty where the layout is not known. The text of the remote side is untrusted, and a line is read when it is compared.</remarks>
internal sealed class ContractLayouts
{
    private readonly string _text;
    private readonly List<int> _ends = [];

    /// <summary>Finds the lines of a text.</summary>
    public ContractLayouts(string text)
    {
        _text = text;
        for (var end = text.IndexOf('\n', StringComparison.Ordinal); end >= 0; end = text.IndexOf('\n', end + 1))
            _ends.Add(end);
    }

    /// <summary>Finds the lines of the layouts of contracts of this side.</summary>
    public ContractLayouts(IReadOnlyList<MessageContract> contracts)
        : this(Write(contracts, int.MaxValue))
    {
    }

    /// <summary>The number of lines.</summary>
    public int Count => _ends.Count;

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
            for (var at = rest.IndexOf('@'); at >= 0; at = rest.IndexOf('@'))
            {
                text.Append(rest.Slice(0, at + 1));
                rest = rest.Slice(at + 1);
                var contract = nested[LayoutCode.TakeNumber(ref rest)];
                if (!numbers.TryGetValue(contract, out var number))
                {
                    number = lines.Count;
                    numbers.Add(contract, number);
                    lines.Add(contract);
                }

                text.Append(number);
            }

            text.Append(rest);
        }
    }

    /// <summary>Reads a line.</summary>
    /// <returns><c>false</c> if there is no such line, if the layout is not known, or if the line is invalid.</returns>
    public bool TryGet(int number, out LayoutLine line)
    {
        line = default;
        if ((uint)number >= (uint)_ends.Count)
            return false;
        var start = number == 0 ? 0 : _ends[number - 1] + 1;
        return LayoutLine.TryRead(_text.AsSpan(start, _ends[number] - start), out line);
    }

    /// <summary>Returns the lines.</summary>
    public override string ToString() => _text;

    // The name is text for people, so a character with a meaning in a line is replaced.
    private static string NameOf(Type type) => type.Name.Replace(' ', '_').Replace('\n', '_').Replace(';', '_');
}

/// <summary>The layout of one message.</summary>
internal readonly ref struct LayoutLine
{
    /// <summary>The message is sent field by field, without numbers.</summary>
    public const char Ordered = 'o';

    /// <summary>The message is version-tolerant.</summary>
    public const char Numbered = 'n';

    /// <summary>The message is a union.</summary>
    public const char Union = 'u';

    /// <summary>The id of the contract.</summary>
    public uint Id { get; private init; }

    /// <summary>The version of the contract.</summary>
    public int Version { get; private init; }

    /// <summary>The name of the type, for people.</summary>
    public ReadOnlySpan<char> Name { get; private init; }

    /// <summary>One of the constants of this type.</summary>
    public char Kind { get; private init; }

    /// <summary>The fields, each after a semicolon.</summary>
    public ReadOnlySpan<char> Fields { get; private init; }

    /// <summary>Reads a line.</summary>
    public static bool TryRead(ReadOnlySpan<char> text, out LayoutLine line)
    {
        line = default;
        if (!uint.TryParse(TakeWord(ref text), NumberStyles.None, CultureInfo.InvariantCulture, out var id) ||
            !int.TryParse(TakeWord(ref text), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var version))
        {
            return false;
        }

        var name = TakeWord(ref text);
        if (text.IsEmpty || text[0] is not (Ordered or Numbered or Union) || (text.Length > 1 && text[1] != ';'))
            return false;
        line = new LayoutLine { Id = id, Version = version, Name = name, Kind = text[0], Fields = text.Slice(1) };
        return true;
    }

    /// <summary>Takes the next field from the text of the fields: its words without the semicolon before them.</summary>
    public static bool TryTake(scoped ref ReadOnlySpan<char> fields, out ReadOnlySpan<char> field)
    {
        field = default;
        if (fields.IsEmpty)
            return false;
        fields = fields.Slice(1);
        var end = fields.IndexOf(';');
        field = end < 0 ? fields : fields.Slice(0, end);
        fields = fields.Slice(field.Length);
        return true;
    }

    /// <summary>Takes the text up to the next space, or all of it, and the space.</summary>
    public static ReadOnlySpan<char> TakeWord(scoped ref ReadOnlySpan<char> text)
    {
        var end = text.IndexOf(' ');
        var word = end < 0 ? text : text.Slice(0, end);
        text = text.Slice(end < 0 ? text.Length : end + 1);
        return word;
    }
}

/// <summary>Takes the parts of a type from its text in a layout.</summary>
internal static class LayoutCode
{
    /// <summary>Takes letters and digits: the code of a simple type.</summary>
    public static ReadOnlySpan<char> TakeSimple(scoped ref ReadOnlySpan<char> code)
    {
        var length = 0;
        while (length < code.Length && IsSimple(code[length]))
            length++;
        var simple = code.Slice(0, length);
        code = code.Slice(length);
        return simple;
    }

    /// <summary>Returns whether a character is a letter or a digit of ASCII.</summary>
    public static bool IsSimple(char character) => character is (>= 'a' and <= 'z') or (>= 'A' and <= 'Z') or (>= '0' and <= '9');

    /// <summary>Takes the number of a line; -1 if there is none.</summary>
    public static int TakeNumber(scoped ref ReadOnlySpan<char> code) =>
        int.TryParse(TakeSimple(ref code), NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : -1;

    /// <summary>Takes the members of an enum, without their brackets; empty if the type is no enum.</summary>
    public static ReadOnlySpan<char> TakeMembers(scoped ref ReadOnlySpan<char> code)
    {
        if (code.IsEmpty || code[0] != '<' || code.IndexOf('>') is not (> 0 and var end))
            return default;
        var members = code.Slice(1, end - 1);
        code = code.Slice(end + 1);
        return members;
    }

    /// <summary>Takes the name of an item before its type, and the space after it; empty if the item has no name.</summary>
    public static ReadOnlySpan<char> TakeName(scoped ref ReadOnlySpan<char> code)
    {
        var end = code.IndexOfAny(" ,:()[]{}?@<>".AsSpan());
        if (end < 0 || code[end] != ' ')
            return default;
        var name = code.Slice(0, end);
        code = code.Slice(end + 1);
        return name;
    }
}
