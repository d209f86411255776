using System.Text;

namespace Reloaded.Messaging;

/// <summary>Describes the types in layouts, for the texts of exceptions and events.</summary>
internal static class TypeText
{
    private const int MaxNesting = 16;

    /// <summary>The maximum length of a text of the remote side in a difference, in characters.</summary>
    public const int MaxLength = 200;

    /// <summary>Describes a type, such as "list of int32". Untrusted codes are cleaned and cut.</summary>
    public static string Describe(ReadOnlySpan<char> code, ContractLayouts layouts)
    {
        var text = new StringBuilder();
        Append(ref code, text, layouts, 0);
        if (text.Length == 0)
            return "nothing";
        if (text.Length > MaxLength)
            text.Length = MaxLength;
        return RemoteText.Clean(text.ToString());
    }

    private static void Append(ref ReadOnlySpan<char> code, StringBuilder text, ContractLayouts layouts, int nesting)
    {
        if (code.IsEmpty || nesting > MaxNesting || text.Length > MaxLength)
            return;
        var sign = code[0];
        if (LayoutCode.IsSimple(sign))
        {
            text.Append(Name(LayoutCode.TakeSimple(ref code).ToString()));
            if (!LayoutCode.TakeMembers(ref code, layouts).IsEmpty)
                text.Append(" (enum)");
            return;
        }

        code = code.Slice(1);
        switch (sign)
        {
            case '?':
                text.Append("nullable ");
                Append(ref code, text, layouts, nesting + 1);
                break;
            case '[':
                text.Append("list of ");
                Append(ref code, text, layouts, nesting + 1);
                Skip(ref code);
                break;
            case '{':
                text.Append("dictionary of ");
                Append(ref code, text, layouts, nesting + 1);
                Skip(ref code);
                text.Append(" to ");
                Append(ref code, text, layouts, nesting + 1);
                Skip(ref code);
                break;
            case '@':
                text.Append(layouts.TryGet(LayoutCode.TakeNumber(ref code), out var message) ? $"{message.Name.ToString()} (message {message.Id})" : "another message");
                break;
            case '(':
                AppendItems(ref code, text, layouts, nesting);
                break;
            default:
                text.Append("unknown");
                break;
        }
    }

    private static void AppendItems(ref ReadOnlySpan<char> code, StringBuilder text, ContractLayouts layouts, int nesting)
    {
        text.Append('(');
        while (!code.IsEmpty && text.Length <= MaxLength)
        {
            var length = code.Length;
            var name = LayoutCode.TakeName(ref code);
            foreach (var letter in name)
                text.Append(letter);
            text.Append(name.IsEmpty ? "" : " ");
            Append(ref code, text, layouts, nesting + 1);
            var isLast = code.IsEmpty || code[0] == ')';
            Skip(ref code);
            if (isLast || code.Length == length)
                break;
            text.Append(", ");
        }

        text.Append(')');
    }

    private static void Skip(ref ReadOnlySpan<char> code) => code = code.Slice(Math.Min(1, code.Length));

    private static string Name(string code) => SimpleName(code) ?? code switch
    {
        "dd" => "DateOnly",
        "g" => "Guid",
        "s" => "string",
        "t" => "DateTime",
        "to" => "DateTimeOffset",
        "ts" => "TimeSpan",
        "tt" => "TimeOnly",
        _ => code,
    };

    /// <summary>The name of a number, a <c>bool</c> or a character, as schemas contain it too; <c>null</c> for all other types.</summary>
    public static string? SimpleName(string code) => code switch
    {
        "i1" => "int8",
        "i2" => "int16",
        "i4" => "int32",
        "i8" => "int64",
        "i16" => "int128",
        "u1" => "uint8",
        "u2" => "uint16",
        "u4" => "uint32",
        "u8" => "uint64",
        "u16" => "uint128",
        "f2" => "float16",
        "f4" => "float32",
        "f8" => "float64",
        "b" => "bool",
        "c2" => "char",
        "d" => "decimal",
        _ => null,
    };
}
