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
