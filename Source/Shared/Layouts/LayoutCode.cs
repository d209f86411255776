namespace Reloaded.Messaging;

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
