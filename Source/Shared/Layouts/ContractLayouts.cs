using System;
using System.Collections.Generic;

namespace Reloaded.Messaging;

/// <summary>The layouts of contracts and of all messages inside them, as text: one line for each. docs/specification/binary-format.md specifies it.</summary>
/// <remarks>
/// In a handshake, the first lines belong to the announced contracts in their order. A line is empty where the layout is not known. The text of the remote
/// side is untrusted, and a line is read when it is compared. The analyzer of schemas compiles this file as well, for netstandard2.0.
/// </remarks>
internal sealed class ContractLayouts
{
    private readonly string _text;
    private readonly List<int> _ends = [];
    private List<int>? _enums; // the places of the lists of members that are written out

    /// <summary>Finds the lines of a text.</summary>
    public ContractLayouts(string text)
    {
        _text = text;
        for (var end = text.IndexOf('\n', 0); end >= 0; end = text.IndexOf('\n', end + 1))
            _ends.Add(end);
    }

    /// <summary>The number of lines.</summary>
    public int Count => _ends.Count;

    /// <summary>Returns the members of an enum that is written out in these lines.</summary>
    /// <param name="number">The number of the list of members, from 0, in the order of the text.</param>
    /// <returns>The members; empty if there is no such list.</returns>
    public ReadOnlySpan<char> GetMembers(int number)
    {
        var enums = _enums ??= FindEnums(); // several handshakes may compare with these lines at a time
        if ((uint)number >= (uint)enums.Count)
            return default;
        var members = _text.AsSpan(enums[number]);
        return members.IndexOf('>') is >= 0 and var end ? members.Slice(0, end) : default;
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

    private List<int> FindEnums()
    {
        var enums = new List<int>();
        for (var at = _text.IndexOf('<', 0); at >= 0; at = _text.IndexOf('<', at + 1))
        {
            if (at + 1 < _text.Length && _text[at + 1] is not ('=' or '>'))
                enums.Add(at + 1);
        }

        return enums;
    }
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

    /// <summary>The name of the type. It is compared with nothing, and only texts contain it.</summary>
    public ReadOnlySpan<char> Name { get; private init; }

    /// <summary>One of the constants of this type.</summary>
    public char Kind { get; private init; }

    /// <summary>The fields, each after a semicolon.</summary>
    public ReadOnlySpan<char> Fields { get; private init; }

    /// <summary>Reads a line.</summary>
    public static bool TryRead(ReadOnlySpan<char> text, out LayoutLine line)
    {
        line = default;
        if (!LayoutCode.TryParse(TakeWord(ref text), uint.MaxValue, out var id) || !LayoutCode.TryParse(TakeWord(ref text), int.MaxValue, out var version))
            return false;

        var name = TakeWord(ref text);
        if (text.IsEmpty || text[0] is not (Ordered or Numbered or Union) || (text.Length > 1 && text[1] != ';'))
            return false;
        line = new LayoutLine { Id = (uint)id, Version = (int)version, Name = name, Kind = text[0], Fields = text.Slice(1) };
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

    /// <summary>Takes the number of a line; -1 if the text does not begin with a number.</summary>
    public static int TakeNumber(scoped ref ReadOnlySpan<char> code) => TryParse(TakeSimple(ref code), int.MaxValue, out var number) ? (int)number : -1;

    /// <summary>Reads a number of decimal digits, without a sign.</summary>
    public static bool TryParse(ReadOnlySpan<char> digits, long max, out long number)
    {
        number = 0;
        foreach (var digit in digits)
        {
            if (digit is < '0' or > '9' || (number = (number * 10) + digit - '0') > max)
                return false;
        }

        return !digits.IsEmpty;
    }

    /// <summary>Takes the members of an enum, without their brackets; empty if the type is no enum.</summary>
    /// <param name="code">The text.</param>
    /// <param name="layouts">The lines that contain the text, which may refer to members in another line.</param>
    public static ReadOnlySpan<char> TakeMembers(scoped ref ReadOnlySpan<char> code, ContractLayouts layouts)
    {
        if (code.IsEmpty || code[0] != '<' || code.IndexOf('>') is not (> 0 and var end))
            return default;
        var members = code.Slice(1, end - 1);
        code = code.Slice(end + 1);
        if (members.IsEmpty || members[0] != '=')
            return members;
        var number = members.Slice(1);
        return layouts.GetMembers(TakeNumber(ref number));
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
