using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>The C types of values, and literals of them.</summary>
/// <remarks>
/// A message inside is a pointer, and null where it may be missing. There are two exceptions, by which no struct has to be complete before its own members:
/// a struct that never is null, in a field or a tuple; and a message that never is null, as an item of a list.
/// </remarks>
internal sealed class CTypes(Schema schema, ExportNames names)
{
    public static readonly string[] Keywords =
    [
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
        "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
        "alignas", "alignof", "and", "asm", "bool", "catch", "class", "concept", "consteval", "constexpr", "constinit", "decltype", "delete", "explicit", "export", "false", "friend", "mutable", "namespace",
        "new", "noexcept", "not", "nullptr", "operator", "or", "private", "protected", "public", "requires", "template", "this", "throw", "true", "try", "typeid", "typename", "using", "virtual", "xor",
        "NULL", "errno", "unix", "linux", "stdin", "stdout", "stderr", "EOF", "NAN", "INFINITY",
    ];

    private static readonly HashSet<string> s_keywords = [.. Keywords];

    public string this[string name] => names[name];

    /// <summary>A name of a member. A word of C or C++ gets an underscore.</summary>
    public static string Member(string name) => s_keywords.Contains(name) ? name + "_" : name;

    /// <summary>The name of an item of a tuple.</summary>
    public static string ItemName(DeclaredType tuple, int index) => tuple.Names[index] is { Length: > 0 } name ? Member(name) : $"item{(index + 1).ToString(CultureInfo.InvariantCulture)}";

    public SchemaContract Message(WireType type) => schema.Contracts.TryGetValue(type.Message, out var found)
        ? found
        : throw ToolException.Invalid($"The schema has no contract with the id {type.Message.ToString(CultureInfo.InvariantCulture)}. Name the schema that has it by another --schema or --assembly.");

    /// <summary>Whether a message is the struct itself, and no pointer to it.</summary>
    /// <param name="type">The type of the message.</param>
    /// <param name="isInList">Whether the value is inside a list or a dictionary.</param>
    /// <param name="isItem">Whether it is an item of a list.</param>
    public bool IsValue(WireType type, bool isInList, bool isItem) => !type.IsNullable && (isInList ? isItem : Message(type).IsStruct);

    /// <summary>The messages whose structs are inside the struct of a field.</summary>
    public IEnumerable<SchemaContract> Embedded(WireType type) => type.Code switch
    {
        "m" => IsValue(type, false, false) ? [Message(type)] : [],
        "(" => type.Parts.SelectMany(Embedded),
        "?" when type.Parts[0].Code != "m" => Embedded(type.Parts[0]),
        _ => [],
    };

    /// <summary>Declares a member.</summary>
    public string Declare(WireType type, DeclaredType declared, string name, bool isInList = false, bool isItem = false)
    {
        switch (type.Code)
        {
            case "s":
                return $"rm_text {name}";
            case "m":
                return IsValue(type, isInList, isItem) ? $"struct {names[Message(type).Name]} {name}" : $"const struct {names[Message(type).Name]} *{name}";
            case "?" when type.Parts[0].Code == "m":
                return $"const struct {names[Message(type.Parts[0]).Name]} *{name}";
            case "?":
                return $"struct {{ bool has_value; {Declare(type.Parts[0], declared, "value", isInList)}; }} {name}";
            case "[" when type.Parts[0].Code == "u1":
                return $"rm_bytes {name}";
            case "[":
                return $"struct {{ {Declare(type.Parts[0], declared.Parts[0], "*items", true, true)}; uint32_t count; }} {name}";
            case "{":
                return $"struct {{ struct {{ {Declare(type.Parts[0], declared.Parts[0], "key", true)}; {Declare(type.Parts[1], declared.Parts[1], "value", true)}; }} *items; uint32_t count; }} {name}";
            case "(" when declared.Name == "(":
                return $"struct {{ {string.Concat(type.Parts.Select((part, i) => Declare(part, declared.Parts[i], ItemName(declared, i), isInList) + "; "))}}} {name}";
            case "(":
                return $"struct {names[declared.Name]} {name}";
            default:
                return $"{Fixed(type.Code)} {name}{(schema.Types.ContainsKey(declared.Name) ? $" /* {names[declared.Name]} */" : "")}"; // C++ does not allow a member with the name of its type
        }
    }

    /// <summary>The fields of a plain struct.</summary>
    public IReadOnlyList<(string Name, string Code)> Fields(DeclaredType declared) => schema.Types.TryGetValue(declared.Name, out var type)
        ? DeclaredType.FieldsOf(type)
        : throw ToolException.Invalid($"The schema has no type named '{declared.Name}'. Name the schema that has it by another --schema or --assembly.");

    /// <summary>The code of a key, as rm_check_keys() reads it; <c>null</c> if its values are not compared.</summary>
    public static string? KeyCode(WireType type) => type.Code switch
    {
        "m" or "[" or "{" => null,
        "?" => KeyCode(type.Parts[0]) is { } inner ? "?" + inner : null,
        "(" => type.Parts.Select(KeyCode).ToList() is var parts && parts.Contains(null) ? null : $"({string.Join(':', parts)})",
        _ => type.Code,
    };

    /// <summary>The type of a value of a fixed size.</summary>
    public static string Fixed(string code) => code switch
    {
        "b" => "bool",
        "c2" or "f2" => "uint16_t",
        "f4" => "float",
        "f8" => "double",
        "g" => "rm_guid",
        "d" => "rm_decimal",
        "t" => "rm_time",
        "to" => "rm_offset_time",
        "ts" or "tt" => "int64_t",
        "dd" => "int32_t",
        "i16" or "u16" => "rm_int128",
        _ => $"{(code[0] == 'u' ? "uint" : "int")}{Bits(code)}_t",
    };

    public static string Integer(string code, Int128 value) => code switch
    {
        "u8" => $"UINT64_C({value.ToString(CultureInfo.InvariantCulture)})",
        "i8" or "ts" or "tt" => value == long.MinValue ? "INT64_MIN" : $"INT64_C({value.ToString(CultureInfo.InvariantCulture)})",
        "u4" => $"{value.ToString(CultureInfo.InvariantCulture)}u",
        "i4" when value == int.MinValue => "INT32_MIN",
        _ => value.ToString(CultureInfo.InvariantCulture),
    };

    /// <summary>A literal of a text in UTF-8.</summary>
    public static string Quote(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (var one in Encoding.UTF8.GetBytes(text))
        {
            // Three octal digits end before any digit that follows, and a question mark begins no trigraph.
            quoted.Append(one is < 32 or > 126 or (byte)'"' or (byte)'\\' or (byte)'?' ? $"\\{Convert.ToString(one, 8).PadLeft(3, '0')}" : ((char)one).ToString());
        }

        return quoted.Append('"').ToString();
    }

    /// <summary>Writes a value of a fixed size.</summary>
    public static string Write(string code, string value) => code switch
    {
        "b" => $"rm_write_u1(writer, {value});",
        "f4" or "f8" => $"rm_write_{code}(writer, {value});",
        "g" => $"rm_write_guid(writer, {value});",
        "d" => $"rm_write_decimal(writer, {value});",
        "t" => $"rm_write_time(writer, {value});",
        "to" => $"rm_write_offset_time(writer, {value});",
        "dd" or "tt" => $"rm_write_range(writer, {value}, {Range(code)});",
        "i16" or "u16" => $"rm_write_u16(writer, {value});",
        _ => $"rm_write_u{Size(code)}(writer, (uint{Bits(code)}_t){value});",
    };

    /// <summary>Reads a value of a fixed size.</summary>
    public static string Read(string code) => code switch
    {
        "b" => "rm_read_b(reader)",
        "f4" or "f8" => $"rm_read_{code}(reader)",
        "g" => "rm_read_guid(reader)",
        "d" => "rm_read_decimal(reader)",
        "t" => "rm_read_time(reader)",
        "to" => "rm_read_offset_time(reader)",
        "dd" or "tt" => $"({Fixed(code)})rm_read_range(reader, {Range(code)})",
        "i16" or "u16" => "rm_read_u16(reader)",
        _ => $"({Fixed(code)})rm_read_u{Size(code)}(reader)",
    };

    private static string Range(string code) => code == "dd" ? "3652058, 4" : "INT64_C(863999999999), 8";

    private static int Size(string code) => code == "ts" ? 8 : code[1] - '0';

    private static string Bits(string code) => Number(8 * (uint)Size(code));

    /// <summary>A literal of a default.</summary>
    public static string Constant(string code, JsonElement value)
    {
        var text = value.ToString();
        switch (code)
        {
            case "b":
                return value.GetBoolean() ? "true" : "false";
            case "s":
                return $"(rm_text){{{Quote(text)}, {Number((uint)Encoding.UTF8.GetByteCount(text))}}}";
            case "d":
                var bits = decimal.GetBits(decimal.Parse(text, NumberStyles.Number, CultureInfo.InvariantCulture));
                return $"(rm_decimal){{{string.Join(", ", bits.Select(static part => Number((uint)part) + "u"))}}}";
            case "f2":
                return BitConverter.HalfToUInt16Bits(Half.Parse(text, CultureInfo.InvariantCulture)).ToString(CultureInfo.InvariantCulture);
            case "f4" or "f8":
                var number = double.Parse(text, CultureInfo.InvariantCulture);
                var literal = double.IsNaN(number) ? "NAN" : double.IsInfinity(number) ? (number < 0 ? "-INFINITY" : "INFINITY") : number.ToString("E16", CultureInfo.InvariantCulture);
                return $"({Fixed(code)}){literal}";
            case "i16" or "u16":
                var large = code == "u16" ? UInt128.Parse(text, CultureInfo.InvariantCulture) : (UInt128)Int128.Parse(text, CultureInfo.InvariantCulture);
                return $"(rm_int128){{UINT64_C({((ulong)large).ToString(CultureInfo.InvariantCulture)}), UINT64_C({((ulong)(large >> 64)).ToString(CultureInfo.InvariantCulture)})}}";
            default:
                return Integer(code, Int128.Parse(text, CultureInfo.InvariantCulture));
        }
    }

    public static string Number(uint value) => value.ToString(CultureInfo.InvariantCulture);
}
