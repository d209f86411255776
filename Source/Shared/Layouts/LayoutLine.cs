namespace Reloaded.Messaging;

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
