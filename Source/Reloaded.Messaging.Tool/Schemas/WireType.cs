using System.Globalization;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>A type of a schema.</summary>
/// <param name="Code">The code of a value of a fixed size, or the first character of another type: <c>(</c>, <c>[</c>, <c>{</c>, <c>?</c>, <c>s</c> or <c>m</c>.</param>
internal sealed record WireType(string Code)
{
    private const int MaxDepth = 64;

    /// <summary>The fields of a plain struct, the item of an array, the key and the value of a dictionary, or the value of a nullable value.</summary>
    public IReadOnlyList<WireType> Parts { get; private init; } = [];

    /// <summary>The id of a message.</summary>
    public uint Message { get; private init; }

    /// <summary>Whether the value may be null.</summary>
    public bool IsNullable { get; private init; }

    /// <summary>Describes the type, such as "list of int32".</summary>
    /// <param name="find">Returns the name of a message.</param>
    public string Describe(Func<uint, string> find) => Code switch
    {
        "?" => $"nullable {Parts[0].Describe(find)}",
        "[" => $"list of {Parts[0].Describe(find)}",
        "{" => $"dictionary of {Parts[0].Describe(find)} to {Parts[1].Describe(find)}",
        "(" => $"({string.Join(", ", Parts.Select(part => part.Describe(find)))})",
        "s" => "string",
        "m" => find(Message),
        _ => FixedValue.All[Code].Name,
    };

    /// <summary>Reads a type such as <c>{s:[?i4]}?</c>. A question mark is before a value, and after a reference.</summary>
    /// <exception cref="ToolException">Thrown when the text is not a type.</exception>
    public static WireType Parse(string text)
    {
        var position = 0;
        var type = Read(text, ref position, 0);
        return position == text.Length ? type : throw Invalid(text, position);
    }

    private static WireType Read(string text, ref int position, int depth)
    {
        if (depth > MaxDepth || position == text.Length)
            throw Invalid(text, position);
        switch (text[position])
        {
            case '?':
                position++;
                return new WireType("?") { Parts = [Read(text, ref position, depth + 1)], IsNullable = true };
            case '(':
                return new WireType("(") { Parts = ReadParts(text, ref position, ')', depth) };
            case '[':
                return ReadReference(text, ref position, "[", ReadParts(text, ref position, ']', depth), 1);
            case '{':
                return ReadReference(text, ref position, "{", ReadParts(text, ref position, '}', depth), 2);
            case 's':
                position++;
                return ReadReference(text, ref position, "s", [], 0);
            case 'm':
                return ReadMessage(text, ref position);
            default:
                return ReadFixed(text, ref position);
        }
    }

    private static List<WireType> ReadParts(string text, ref int position, char end, int depth)
    {
        var parts = new List<WireType>();
        position++;
        while (position < text.Length && text[position] != end)
        {
            if (text[position] == ':')
                position++;
            parts.Add(Read(text, ref position, depth + 1));
        }

        if (position++ >= text.Length)
            throw Invalid(text, text.Length);
        return parts;
    }

    private static WireType ReadReference(string text, ref int position, string code, List<WireType> parts, int count) => parts.Count == count
        ? new WireType(code) { Parts = parts, IsNullable = SkipQuestionMark(text, ref position) }
        : throw Invalid(text, position);

    private static WireType ReadMessage(string text, ref int position)
    {
        var start = ++position;
        while (position < text.Length && char.IsAsciiDigit(text[position]))
            position++;
        if (!uint.TryParse(text.AsSpan(start, position - start), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
            throw Invalid(text, start);
        return new WireType("m") { Message = id, IsNullable = SkipQuestionMark(text, ref position) };
    }

    private static WireType ReadFixed(string text, ref int position)
    {
        for (var length = 3; length > 0; length--)
        {
            if (position + length <= text.Length && FixedValue.All.ContainsKey(text.Substring(position, length)))
            {
                position += length;
                return new WireType(text.Substring(position - length, length));
            }
        }

        throw Invalid(text, position);
    }

    private static bool SkipQuestionMark(string text, ref int position)
    {
        var isThere = position < text.Length && text[position] == '?';
        position += isThere ? 1 : 0;
        return isThere;
    }

    private static ToolException Invalid(string text, int position) =>
        ToolException.Invalid($"The schema has the type '{text}', which is invalid at position {position}. Write the schema again with a build of the same version as this tool.");
}
