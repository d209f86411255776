using System.Buffers;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>A type with names, as docs/specification/schema.md defines it.</summary>
/// <param name="Name">The name of a message, an enum, a plain struct or a simple type; <c>list</c> for every list, <c>dictionary</c>, or <c>(</c> for a tuple.</param>
/// <param name="IsNullable">Whether the value may be null.</param>
internal sealed record DeclaredType(string Name, bool IsNullable)
{
    private const int MaxDepth = 64;

    private static readonly SearchValues<char> s_ends = SearchValues.Create("<>(),? ");

    /// <summary>The item of a list, the key and the value of a dictionary, or the items of a tuple.</summary>
    public IReadOnlyList<DeclaredType> Parts { get; private init; } = [];

    /// <summary>The names of a tuple's items, or empty names.</summary>
    public IReadOnlyList<string> Names { get; private init; } = [];

    /// <summary>Whether the type is a set.</summary>
    public bool IsSet { get; private init; }

    /// <summary>Reads the declared type of a field.</summary>
    /// <exception cref="ToolException">Thrown when the schema has none, or when the text is not a type.</exception>
    public static DeclaredType Of(SchemaContract contract, SchemaField field)
    {
        if (field.Declared is not { } text)
            throw ToolException.Invalid($"The schema has no declared type for {contract.Name}.{field.Name}; it has format 1. Write the schema again by 'dotnet build -p:WriteMessageSchema=true'.");
        var position = 0;
        var type = Read(text, ref position, 0);
        return position == text.Length && Fits(field.Type, type) ? type : throw Invalid(text, position);
    }

    /// <summary>Returns whether a declared type has the parts of the type of the payload.</summary>
    private static bool Fits(WireType type, DeclaredType declared) => type.Code switch
    {
        "?" => Fits(type.Parts[0], declared),
        "[" => declared.Name == "list" && Fits(type.Parts[0], declared.Parts[0]),
        "{" => declared.Name == "dictionary" && Fits(type.Parts[0], declared.Parts[0]) && Fits(type.Parts[1], declared.Parts[1]),
        "(" when declared.Name == "(" => type.Parts.Count == declared.Parts.Count && type.Parts.Zip(declared.Parts, Fits).All(static one => one),
        _ => declared.Parts.Count == 0,
    };

    /// <summary>The fields of a plain struct in the order of their values. The fields of a struct inside replace that struct, and have its name before theirs.</summary>
    public static IReadOnlyList<(string Name, string Code)> FieldsOf(SchemaType type)
    {
        var fields = new List<(string, string)>();
        var position = 0;
        ReadStruct("");
        return fields;

        void ReadStruct(string prefix)
        {
            var layout = type.Layout!;
            if (!Skip(layout, ref position, '('))
                throw Invalid(layout, position);
            do
            {
                var name = prefix + ReadItemName(layout, ref position);
                if (position < layout.Length && layout[position] == '(')
                {
                    ReadStruct(name + "_");
                    continue;
                }

                fields.Add((name, ReadName(layout, ref position)));
                if (Skip(layout, ref position, '<'))
                    position = layout.IndexOf('>', position) is > 0 and var end ? end + 1 : throw Invalid(layout, position);
            }
            while (Skip(layout, ref position, ','));
            if (!Skip(layout, ref position, ')'))
                throw Invalid(layout, position);
        }
    }

    private static DeclaredType Read(string text, ref int position, int depth)
    {
        if (depth > MaxDepth)
            throw Invalid(text, position);
        var parts = new List<DeclaredType>();
        var names = new List<string>();
        if (Skip(text, ref position, '('))
        {
            do
            {
                names.Add(ReadItemName(text, ref position));
                parts.Add(Read(text, ref position, depth + 1));
            }
            while (Skip(text, ref position, ", "));
            return Skip(text, ref position, ')') ? new DeclaredType("(", Skip(text, ref position, '?')) { Parts = parts, Names = names } : throw Invalid(text, position);
        }

        var name = ReadName(text, ref position);
        if (Skip(text, ref position, '<'))
        {
            do
                parts.Add(Read(text, ref position, depth + 1));
            while (Skip(text, ref position, ", "));
            if (parts.Count != (name == "dictionary" ? 2 : 1) || !Skip(text, ref position, '>'))
                throw Invalid(text, position);
        }

        if (parts.Count == 0 && name is "list" or "dictionary")
            throw Invalid(text, position);
        return new DeclaredType(parts.Count == 1 ? "list" : name, Skip(text, ref position, '?')) { Parts = parts, IsSet = name == "set" && parts.Count == 1 };
    }

    private static string ReadName(string text, ref int position)
    {
        var end = text.AsSpan(position).IndexOfAny(s_ends);
        var name = end < 0 ? text[position..] : text.Substring(position, end);
        if (!SchemaName.IsFull(name))
            throw Invalid(text, position);
        position += name.Length;
        return name;
    }

    /// <summary>Reads the name of a tuple's item, which a space separates from the type.</summary>
    private static string ReadItemName(string text, ref int position)
    {
        var end = text.AsSpan(position).IndexOfAny(s_ends);
        if (end <= 0 || text[position + end] != ' ')
            return "";
        var name = text.Substring(position, end);
        if (!SchemaName.IsIdentifier(name))
            throw Invalid(text, position);
        position += end + 1;
        return name;
    }

    private static bool Skip(string text, ref int position, char sign) => Skip(text, ref position, sign.ToString());

    private static bool Skip(string text, ref int position, string sign)
    {
        var isThere = string.CompareOrdinal(text, position, sign, 0, sign.Length) == 0;
        position += isThere ? sign.Length : 0;
        return isThere;
    }

    private static ToolException Invalid(string text, int position) =>
        ToolException.Invalid($"The schema has the declared type '{text}', which is invalid at position {position}. Write the schema again with a build of the same version as this tool.");
}
