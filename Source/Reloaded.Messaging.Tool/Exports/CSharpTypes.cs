using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>The types of values in C# 7.3, and the code that writes and reads them. A message is an object, also one that is a struct in the library.</summary>
internal sealed class CSharpTypes(Schema schema, ExportNames names)
{
    private static readonly string[] s_keywords =
    [
        "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class", "const", "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event",
        "explicit", "extern", "false", "finally", "fixed", "float", "for", "foreach", "goto", "if", "implicit", "in", "int", "interface", "internal", "is", "lock", "long", "namespace", "new", "null",
        "object", "operator", "out", "override", "params", "private", "protected", "public", "readonly", "ref", "return", "sbyte", "sealed", "short", "sizeof", "stackalloc", "static", "string", "struct",
        "switch", "this", "throw", "true", "try", "typeof", "uint", "ulong", "unchecked", "unsafe", "ushort", "using", "virtual", "void", "volatile", "while",
    ];

    private static readonly HashSet<string> s_words = [.. s_keywords];
    private static readonly HashSet<string> s_members = ["Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString"];

    /// <summary>Names that the client or the exported code uses.</summary>
    public static readonly string[] Taken =
    [
        .. s_keywords, "var", "Action", "All", "Bits", "ClientState", "ClientStatus", "Contract", "Contracts", "DateTime", "DateTimeOffset", "Dictionary", "DisconnectReason", "FaultCodes", "Flags",
        "FrameStatus", "Func", "Guid", "HashSet", "HeaderVerdict", "IEquatable", "IRequest", "Integer128", "KeyComparer", "List", "Lz4", "MessageClient", "MessageHeader", "MessageKind", "Obsolete",
        "PayloadReader", "PayloadWriter", "Payloads", "PublishedServer", "ReceivedRequest", "Response", "SentRequest", "TimeSpan", "Uri", "UriKind", "Utf8", "Version", "Wire",
    ];

    public string this[string name] => names[name];

    public static string Escape(string name) => s_words.Contains(name) ? "@" + name : name;

    /// <summary>The name of a member. A name of its type, or of a member of every object, gets an underscore.</summary>
    public static string Member(string name, string type) => name == type || s_members.Contains(name) ? name + "_" : Escape(name);

    public SchemaContract Message(WireType type) => schema.Contracts.TryGetValue(type.Message, out var found)
        ? found
        : throw ToolException.Invalid($"The schema has no contract with the id {type.Message.ToString(CultureInfo.InvariantCulture)}. Name the schema that has it by another --schema or --assembly.");

    /// <summary>Whether a payload without the field is malformed: a class that never is null, or a default that only the .NET program computes.</summary>
    public bool IsRequired(SchemaField field) => field.IsComputed || (field.Type is { Code: "m", IsNullable: false } type && !Message(type).IsStruct);

    /// <summary>The name of a type.</summary>
    public string Name(WireType type, DeclaredType declared) => type.Code switch
    {
        "s" => declared.Name switch { "uri" => "Uri", "version" => "Version", _ => "string" },
        "m" => names[Message(type).Name],
        "?" => Name(type.Parts[0], declared) + (IsObject(type.Parts[0]) ? "" : "?"),
        "[" when IsBytes(type, declared) => "byte[]",
        "[" => $"{(declared.IsSet ? "HashSet" : "List")}<{Name(type.Parts[0], declared.Parts[0])}>",
        "{" => $"Dictionary<{Name(type.Parts[0], declared.Parts[0])}, {Name(type.Parts[1], declared.Parts[1])}>",
        "(" when declared.Name == "(" => $"({string.Join(", ", type.Parts.Select((part, i) => Name(part, declared.Parts[i]) + (declared.Names[i].Length == 0 ? "" : " " + Escape(declared.Names[i]))))})",
        "(" => names[declared.Name],
        _ => Enum(declared) ?? Fixed(type.Code),
    };

    /// <summary>The value of a missing field; <c>null</c> for null, 0 or false.</summary>
    public string? Initial(SchemaField field, DeclaredType declared)
    {
        if (field.Default is { } value)
            return Constant(field.Type.Code == "?" ? field.Type.Parts[0].Code : field.Type.Code, Enum(declared), value);
        if (field.Type.IsNullable)
            return null;
        return field.Type.Code switch
        {
            "s" => declared.Name switch { "uri" => "new Uri(\"\", UriKind.Relative)", "version" => "new Version(0, 0)", _ => "\"\"" },
            "[" when IsBytes(field.Type, declared) => "new byte[0]",
            "[" or "{" => $"new {Name(field.Type, declared)}()",
            "m" when Message(field.Type).IsStruct => $"new {Name(field.Type, declared)}()",
            _ => null,
        };
    }

    /// <summary>Returns an expression that reads a value.</summary>
    /// <param name="type">The type on the wire.</param>
    /// <param name="declared">The type with names.</param>
    /// <param name="reader">The variable of the reader.</param>
    /// <param name="depth">The number of lambdas around the expression.</param>
    public string Read(WireType type, DeclaredType declared, string reader, int depth)
    {
        var nullable = type.IsNullable ? "true" : "false";
        switch (type.Code)
        {
            case "s":
                return $"{reader}.Read{Text(declared)}({nullable})";
            case "m":
                return $"{reader}.ReadMessage({nullable}, {Render(Message(type).IsStruct ? 0 : MessageCost(Message(type)))}, {Variable("r", depth + 1)} => Unpack{names[Message(type).Name]}({Variable("r", depth + 1)}))";
            case "?":
                return $"{reader}.Read{(IsObject(type.Parts[0]) ? "Optional" : "Nullable")}({Reader(type.Parts[0], declared)})";
            case "[" when IsBytes(type, declared):
                return $"{reader}.ReadByteArray({nullable})";
            case "[":
                return $"{reader}.Read{(declared.IsSet ? "Set" : "List")}({nullable}, {Render((declared.IsSet ? 16 : 0) + Cost(type.Parts[0], declared.Parts[0]))}, {Reader(type.Parts[0], declared.Parts[0])})";
            case "{":
                return $"{reader}.ReadDictionary({nullable}, {Render(16 + Cost(type.Parts[0], declared.Parts[0]) + Cost(type.Parts[1], declared.Parts[1]))}, {Reader(type.Parts[0], declared.Parts[0])}, {Reader(type.Parts[1], declared.Parts[1])})";
            case "(" when declared.Name == "(":
                return $"({string.Join(", ", type.Parts.Select((part, i) => Read(part, declared.Parts[i], reader, depth)))})";
            case "(":
                return $"new {names[declared.Name]} {{ {string.Join(", ", Fields(declared).Select(field => $"{Member(field.Name, names[declared.Name])} = {reader}.Read{Method(field.Code)}()"))} }}";
            default:
                return $"{(Enum(declared) is { } name ? $"({name})" : "")}{reader}.Read{Method(type.Code)}()";
        }

        string Reader(WireType part, DeclaredType partDeclared) => $"{Variable("r", depth + 1)} => {Read(part, partDeclared, Variable("r", depth + 1), depth + 1)}";
    }

    /// <summary>Returns the statements that write a value.</summary>
    /// <param name="type">The type on the wire.</param>
    /// <param name="declared">The type with names.</param>
    /// <param name="writer">The variable of the writer.</param>
    /// <param name="value">An expression without effects.</param>
    /// <param name="depth">The number of lambdas around the statements.</param>
    public IEnumerable<string> Write(WireType type, DeclaredType declared, string writer, string value, int depth)
    {
        var nullable = type.IsNullable ? "true" : "false";
        return type.Code switch
        {
            "s" => [$"{writer}.Write{Text(declared)}({value}, {nullable});"],
            "m" => [$"{writer}.WriteMessage({value}, {nullable}, {Packer(type, depth + 1)});"],
            "?" => [$"{writer}.Write{(IsObject(type.Parts[0]) ? "Optional" : "Nullable")}({value}, {Writer(type.Parts[0], declared, depth + 1)});"],
            "[" when IsBytes(type, declared) => [$"{writer}.WriteByteArray({value}, {nullable});"],
            "[" => [$"{writer}.Write{(declared.IsSet ? "Set" : "List")}({value}, {nullable}, {Writer(type.Parts[0], declared.Parts[0], depth + 1)});"],
            "{" => [$"{writer}.WriteDictionary({value}, {nullable}, {Writer(type.Parts[0], declared.Parts[0], depth + 1)}, {Writer(type.Parts[1], declared.Parts[1], depth + 1)});"],
            "(" when declared.Name == "(" => type.Parts.SelectMany((part, i) => Write(part, declared.Parts[i], writer, $"{value}.Item{Render(i + 1)}", depth)),
            "(" => Fields(declared).Select(field => $"{writer}.Write{Method(field.Code)}({value}.{Member(field.Name, names[declared.Name])});"),
            _ => [$"{writer}.Write{Method(type.Code)}({(Enum(declared) is null ? "" : $"({Fixed(type.Code)})")}{value});"],
        };
    }

    /// <summary>Returns a lambda that writes a value.</summary>
    public string Writer(WireType type, DeclaredType declared, int depth)
    {
        var (writer, value) = (Variable("w", depth), Variable("v", depth));
        var statements = Write(type, declared, writer, value, depth).ToList();
        return $"({writer}, {value}) => {(statements.Count == 1 ? statements[0].TrimEnd(';') : $"{{ {string.Join(" ", statements)} }}")}";
    }

    /// <summary>The cost of a message in the budget of a payload, as docs/specification/binary-format.md defines it.</summary>
    public int MessageCost(SchemaContract contract) => 8 + (contract.IsUnion ? 0 : contract.Fields.Sum(field =>
        Cost(field.Type, DeclaredType.Of(contract, field)) + (field.Type is { Code: "[" or "{", IsNullable: false } ? 24 : 0)));

    public static string Number(uint value) => value.ToString(CultureInfo.InvariantCulture) + "u";

    public static string Integer(string code, Int128 value)
    {
        var text = value.ToString(CultureInfo.InvariantCulture);
        return code switch { "u8" => text + "ul", "u4" => text + "u", "i8" => text + "L", _ => text };
    }

    /// <summary>A literal of a text.</summary>
    public static string Quote(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (var one in text)
            quoted.Append(one is '"' or '\\' ? $"\\{one}" : one is < ' ' or > '~' ? $"\\u{((int)one).ToString("X4", CultureInfo.InvariantCulture)}" : one.ToString());
        return quoted.Append('"').ToString();
    }

    /// <summary>The type of a value of a fixed size.</summary>
    public static string Fixed(string code) => code switch
    {
        "b" => "bool",
        "c2" => "char",
        "f2" or "f4" => "float",
        "f8" => "double",
        "g" => "Guid",
        "d" => "decimal",
        "t" or "dd" => "DateTime",
        "to" => "DateTimeOffset",
        "ts" or "tt" => "TimeSpan",
        "i16" or "u16" => "Integer128",
        "i1" => "sbyte",
        "u1" => "byte",
        "i2" => "short",
        "u2" => "ushort",
        "i4" => "int",
        "u4" => "uint",
        "i8" => "long",
        _ => "ulong",
    };

    private static bool IsObject(WireType type) => type.Code is "s" or "m" or "[" or "{" || (type.Code == "?" && IsObject(type.Parts[0]));

    private static bool IsBytes(WireType type, DeclaredType declared) => type.Parts[0].Code == "u1" && !declared.IsSet;

    private static string Text(DeclaredType declared) => declared.Name switch { "uri" => "Uri", "version" => "Version", _ => "String" };

    /// <summary>The name of a value of a fixed size in the methods of the reader and the writer.</summary>
    private static string Method(string code) => code switch
    {
        "b" => "Boolean",
        "c2" => "Char",
        "f2" => "Half",
        "f4" => "Single",
        "f8" => "Double",
        "d" => "Decimal",
        "dd" => "Date",
        "tt" => "Time",
        "i1" => "SByte",
        "u1" => "Byte",
        "i2" or "i4" or "i8" => $"Int{Render(8 * (code[1] - '0'))}",
        "u2" or "u4" or "u8" => $"UInt{Render(8 * (code[1] - '0'))}",
        _ => Fixed(code),
    };

    /// <summary>A literal of a default.</summary>
    private static string Constant(string code, string? enumName, JsonElement value)
    {
        var text = value.ToString();
        if (enumName is not null)
            return $"({enumName})({Integer(code, Int128.Parse(text, CultureInfo.InvariantCulture))})";
        switch (code)
        {
            case "b":
                return value.GetBoolean() ? "true" : "false";
            case "s":
                return Quote(text);
            case "d":
                return text + "m";
            case "c2":
                return $"'\\u{int.Parse(text, CultureInfo.InvariantCulture).ToString("X4", CultureInfo.InvariantCulture)}'";
            case "f2" or "f4" or "f8":
                var number = double.Parse(text, CultureInfo.InvariantCulture);
                var type = Fixed(code);
                return double.IsNaN(number) ? $"{type}.NaN" : double.IsInfinity(number) ? $"{type}.{(number < 0 ? "Negative" : "Positive")}Infinity" : $"({type}){number.ToString("R", CultureInfo.InvariantCulture)}d";
            case "i16" or "u16":
                var large = code == "u16" ? UInt128.Parse(text, CultureInfo.InvariantCulture) : (UInt128)Int128.Parse(text, CultureInfo.InvariantCulture);
                return $"new Integer128({((ulong)(large >> 64)).ToString(CultureInfo.InvariantCulture)}ul, {((ulong)large).ToString(CultureInfo.InvariantCulture)}ul)";
            default:
                return Integer(code, Int128.Parse(text, CultureInfo.InvariantCulture));
        }
    }

    private static string Render(int value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Variable(string name, int depth) => name + Render(depth);

    private string Packer(WireType type, int depth) => $"({Variable("w", depth)}, {Variable("v", depth)}) => Pack{names[Message(type).Name]}({Variable("w", depth)}, {Variable("v", depth)})";

    /// <summary>The name of an enum; <c>null</c> for another type.</summary>
    private string? Enum(DeclaredType declared) => schema.Types.TryGetValue(declared.Name, out var type) && type.IsEnum ? names[declared.Name] : null;

    /// <summary>The fields of a plain struct.</summary>
    private IReadOnlyList<(string Name, string Code)> Fields(DeclaredType declared) => schema.Types.TryGetValue(declared.Name, out var type)
        ? DeclaredType.FieldsOf(type)
        : throw ToolException.Invalid($"The schema has no type named '{declared.Name}'. Name the schema that has it by another --schema or --assembly.");

    /// <summary>The cost of a field or an item in the budget of a payload.</summary>
    private int Cost(WireType type, DeclaredType declared) => type.Code switch
    {
        "m" when Message(type).IsStruct => MessageCost(Message(type)),
        "s" or "m" or "[" or "{" => 8,
        "?" => 16,
        "(" when declared.Name == "(" => type.Parts.Select((part, i) => Cost(part, declared.Parts[i])).Sum(),
        "(" => Fields(declared).Sum(static field => FixedValue.All[field.Code].Size),
        "to" => 16,
        _ => FixedValue.All[type.Code].Size,
    };
}
