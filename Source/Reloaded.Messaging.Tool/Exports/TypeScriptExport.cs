using System.Globalization;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes TypeScript definitions of the values that the JavaScript client reads and writes.</summary>
internal sealed class TypeScriptExport(Schema schema, TextWriter output)
{
    /// <summary>The names that the definitions use, and so no message has.</summary>
    private static readonly string[] s_taken =
    [
        "Time", "OffsetTime", "Map", "Uint8Array", "Array", "Messages", "Replies", "StreamItems", "any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "undefined", "unknown",
        "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for",
        "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public", "return", "static", "super", "switch", "this",
        "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
    ];

    private readonly ExportNames _names = new(schema, s_taken);

    public void Write()
    {
        var contracts = schema.Contracts.Values.OrderBy(static one => one.Id).ToList();
        var types = contracts.Where(static one => !one.IsUnion).SelectMany(static contract => contract.Fields.Select(static field => field.Type)).SelectMany(Parts).Select(static type => type.Code).ToHashSet();
        output.WriteLine("// Written by 'reloaded-messaging export --to typescript'. A change is lost when the file is written again.");
        if (types.Contains("t"))
            Print("", "A DateTime: ticks of 100 ns since the year 1, and the kind (0 none, 1 UTC, 2 local, whose ticks are in UTC).", null, "export interface Time { ticks: bigint; kind: 0 | 1 | 2; }");
        if (types.Contains("to"))
            Print("", "A DateTimeOffset: the ticks that its clock shows, and its offset from UTC in minutes.", null, "export interface OffsetTime { ticks: bigint; minutes: number; }");
        foreach (var type in schema.Types.Values.OrderBy(static one => one.Name, StringComparer.Ordinal))
            WriteType(type);
        foreach (var contract in contracts)
            WriteContract(contract);
        WriteMap("Messages", "The messages by their full names.", contracts.Select(one => (one.Name, _names[one.Name])));
        WriteMap("Replies", "The replies of requests, by the full names of the requests.", References(contracts, static one => one.Reply));
        WriteMap("StreamItems", "The items of the streams that are replies, by the full names of the requests.", References(contracts, static one => one.Item));
    }

    private IEnumerable<(string Key, string Type)> References(IEnumerable<SchemaContract> contracts, Func<SchemaContract, uint?> id) =>
        from one in contracts
        where id(one) is { } other && schema.Contracts.ContainsKey(other)
        select (one.Name, _names[schema.Contracts[id(one)!.Value].Name]);

    private void WriteType(SchemaType type)
    {
        var name = _names[type.Name];
        if (!type.IsEnum)
        {
            var fields = string.Join(", ", DeclaredType.FieldsOf(type).Select(static field => $"{field.Name}: {Simple(field.Code)}"));
            Print("", type.Documentation, null, $"export type {name} = [{fields}];");
            return;
        }

        var suffix = Simple(type.Code) == "bigint" ? "n" : "";
        Print("", type.Documentation, null, $"export const {name} = {{");
        foreach (var member in type.Members)
            Print("    ", member.Documentation, null, $"{Key(member.Name)}: {member.Value.ToString(CultureInfo.InvariantCulture)}{suffix},", separate: false);
        output.WriteLine("} as const;");

        // Flags are combined, and a later version of the sender may have further members.
        output.WriteLine(type.IsFlags || type.Members.Count == 0 ? $"export type {name} = {Simple(type.Code)};" : $"export type {name} = (typeof {name})[keyof typeof {name}];");
    }

    private void WriteContract(SchemaContract contract)
    {
        var name = _names[contract.Name];
        if (contract.IsUnion)
        {
            var cases = contract.Fields.Select(one => $"({{ $type: {ExportNames.Quote(one.Name)} }} & {_names[one.Name]})");
            Print("", contract.Documentation, contract.Obsolete, $"export type {name} = {(contract.Fields.Count == 0 ? "never" : string.Join(" | ", cases))};");
            return;
        }

        Print("", contract.Documentation, contract.Obsolete, $"export interface {name} {{");
        foreach (var field in contract.Fields)
        {
            var missing = field.Default is { } value ? $" Default: {value.GetRawText()}." : field.IsComputed ? " Required: code of .NET computes the default." : "";
            Print("    ", (field.Documentation + missing).Trim() is { Length: > 0 } text ? text : null, field.Obsolete, $"{Key(field.Name)}: {TypeOf(field.Type, DeclaredType.Of(contract, field))};", separate: false);
        }

        output.WriteLine("}");
    }

    private void WriteMap(string name, string documentation, IEnumerable<(string Key, string Type)> entries)
    {
        Print("", documentation, null, $"export interface {name} {{");
        foreach (var (key, type) in entries)
            output.WriteLine($"    {ExportNames.Quote(key)}: {type};");
        output.WriteLine("}");
    }

    /// <summary>Writes the type of a value. The code tells the form of the value, and the declared type its names.</summary>
    private string TypeOf(WireType type, DeclaredType declared)
    {
        if (type.Code == "?")
            return $"{TypeOf(type.Parts[0], declared with { IsNullable = false })} | null";
        var text = type.Code switch
        {
            "m" => _names[declared.Name],
            "[" when type.Parts[0].Code == "u1" => "Uint8Array",
            "[" => $"Array<{TypeOf(type.Parts[0], declared.Parts[0])}>",
            "{" => $"Map<{TypeOf(type.Parts[0], declared.Parts[0])}, {TypeOf(type.Parts[1], declared.Parts[1])}>",
            "(" when declared.Name == "(" => TupleOf(type, declared),
            _ => schema.Types.ContainsKey(declared.Name) ? _names[declared.Name] : Simple(type.Code),
        };
        return type.IsNullable ? text + " | null" : text;
    }

    private string TupleOf(WireType type, DeclaredType declared)
    {
        var items = type.Parts.Select((part, i) => TypeOf(part, declared.Parts[i]));
        return declared.Names.Contains("") ? $"[{string.Join(", ", items)}]" : $"[{string.Join(", ", items.Zip(declared.Names, static (item, name) => $"{name}: {item}"))}]";
    }

    private static string Simple(string code) => code switch
    {
        "b" => "boolean",
        "s" or "g" or "d" or "c2" => "string",
        "i8" or "u8" or "i16" or "u16" or "ts" or "tt" => "bigint",
        "t" => "Time",
        "to" => "OffsetTime",
        _ => "number",
    };

    private static IEnumerable<WireType> Parts(WireType type) => type.Parts.SelectMany(Parts).Prepend(type);

    /// <summary>Quotes a key that is no ASCII name.</summary>
    private static string Key(string name) => name.All(static one => char.IsAsciiLetterOrDigit(one) || one == '_') ? name : ExportNames.Quote(name);

    private void Print(string indent, string? documentation, string? obsolete, string code, bool separate = true)
    {
        if (separate)
            output.WriteLine();
        var comment = string.Join(" ", new[] { documentation, obsolete is null ? null : $"@deprecated {obsolete}".TrimEnd() }.Where(static one => one is not null));
        if (comment.Length > 0)
            output.WriteLine($"{indent}/** {RemoteText.Clean(comment, keepsLines: false).Replace("*/", "*\\/", StringComparison.Ordinal)} */");
        output.WriteLine(indent + code);
    }
}
