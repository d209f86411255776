using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes Python dataclasses of the values that the Python client reads and writes.</summary>
internal sealed class PythonExport(Schema schema, TextWriter output)
{
    /// <summary>The names that the definitions use, and so no message has.</summary>
    private static readonly string[] s_taken =
    [
        "ClassVar", "Decimal", "IntEnum", "IntFlag", "Never", "OffsetTime", "Time", "TypeAlias", "UUID", "annotations", "bool", "bytes", "dataclass", "dict", "field", "float", "int", "list", "str", "tuple",
    ];

    private static readonly HashSet<string> s_keywords =
    [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];

    private readonly ExportNames _names = new(schema, s_taken.Concat(s_keywords));
    private readonly SortedSet<string> _hidden = new(StringComparer.Ordinal); // names that the fields of the current class hide
    private readonly HashSet<string> _contractNames = [];
    private HashSet<string> _fields = [];

    public void Write()
    {
        output.WriteLine(
            """
            # Written by 'reloaded-messaging export --to python'. A change is lost when the file is written again.
            from __future__ import annotations

            from dataclasses import dataclass, field
            from decimal import Decimal
            from enum import IntEnum, IntFlag
            from typing import ClassVar, Never, TypeAlias
            from uuid import UUID

            from reloaded_messaging import OffsetTime, Time
            """.ReplaceLineEndings(output.NewLine));
        foreach (var type in schema.Types.Values.OrderBy(static one => one.Name, StringComparer.Ordinal))
            WriteType(type);
        var contracts = schema.Contracts.Values.OrderBy(static one => one.Id).ToList();
        _contractNames.UnionWith(contracts.Select(one => _names[one.Name]));
        foreach (var contract in contracts.Where(static one => !one.IsUnion))
            WriteContract(contract);
        foreach (var union in contracts.Where(static one => one.IsUnion))
            WriteAlias(union.Name, union.Documentation, union.Fields.Count == 0 ? "Never" : string.Join(" | ", union.Fields.Select(one => _names[one.Name])));
    }

    private void WriteType(SchemaType type)
    {
        if (!type.IsEnum)
        {
            var fields = DeclaredType.FieldsOf(type);
            WriteAlias(type.Name, type.Documentation, $"tuple[{string.Join(", ", fields.Select(field => Simple(field.Code)))}]", string.Join(", ", fields.Select(static field => field.Name)));
            return;
        }

        WriteBlankLines();
        output.WriteLine($"class {_names[type.Name]}({(type.IsFlags ? "IntFlag" : "IntEnum")}):");
        WriteDocumentation(type.Documentation, null);
        if (type.Members.Count == 0)
            output.WriteLine("    pass");
        foreach (var member in type.Members)
        {
            WriteComment("    ", member.Documentation);
            output.WriteLine($"    {Name(member.Name)} = {member.Value.ToString(CultureInfo.InvariantCulture)}");
        }
    }

    private void WriteContract(SchemaContract contract)
    {
        _fields = [.. contract.Fields.Select(static one => Name(one.Name))];
        var members = contract.Fields.Select(one => $"{Name(one.Name)}: {TypeOf(one.Type, DeclaredType.Of(contract, one))}{DefaultOf(one, DeclaredType.Of(contract, one))}").ToList();
        WriteBlankLines();
        foreach (var hidden in _hidden)
            output.WriteLine(_contractNames.Contains(hidden) ? $"_{hidden}: TypeAlias = \"{hidden}\"" : $"_{hidden} = {hidden}");
        if (_hidden.Count > 0)
            WriteBlankLines();
        _hidden.Clear();
        _fields = [];

        // All arguments have names, so that a field with a default may be before one without.
        output.WriteLine("@dataclass(kw_only=True)");
        output.WriteLine($"class {_names[contract.Name]}:");
        var items = contract.Item is { } id && schema.Contracts.TryGetValue(id, out var item) ? $"The reply is a stream of {_names[item.Name]}." : null;
        WriteDocumentation($"{contract.Documentation} {items}".Trim() is { Length: > 0 } text ? text : null, contract.Obsolete);
        output.WriteLine($"    contract: ClassVar[str] = {ExportNames.Quote(contract.Name)}");
        foreach (var (field, member) in contract.Fields.Zip(members))
        {
            WriteComment("    ", Join(field.Documentation, field.Obsolete));
            output.WriteLine("    " + member);
        }
    }

    /// <summary>Refers to a name of the module. A field of the current class with this name hides the name, so a second one is declared before the class.</summary>
    private string Global(string name)
    {
        if (!_fields.Contains(name))
            return name;
        _hidden.Add(name);
        return "_" + name;
    }

    private void WriteAlias(string name, string? documentation, string type, string fields = "")
    {
        WriteBlankLines();
        WriteComment("", documentation);
        WriteComment("", fields.Length == 0 ? null : $"The fields: {fields}.");
        output.WriteLine($"{_names[name]}: TypeAlias = {type}");
    }

    /// <summary>Writes the type of a value. The code tells the form of the value, and the declared type its names.</summary>
    private string TypeOf(WireType type, DeclaredType declared)
    {
        if (type.Code == "?")
            return $"{TypeOf(type.Parts[0], declared)} | None";
        var text = type.Code switch
        {
            "m" => Global(_names[declared.Name]),
            "[" when type.Parts[0].Code == "u1" => Global("bytes"),
            "[" => $"{Global("list")}[{TypeOf(type.Parts[0], declared.Parts[0])}]",
            "{" => $"{Global("dict")}[{TypeOf(type.Parts[0], declared.Parts[0])}, {TypeOf(type.Parts[1], declared.Parts[1])}]",
            "(" when declared.Name == "(" => $"{Global("tuple")}[{string.Join(", ", type.Parts.Select((part, i) => TypeOf(part, declared.Parts[i])))}]",
            _ when schema.Types.TryGetValue(declared.Name, out var known) => known.IsEnum ? $"{Global(_names[declared.Name])} | {Global("int")}" : Global(_names[declared.Name]), // a number of a later version has no name
            _ => Simple(type.Code),
        };
        return type.IsNullable ? text + " | None" : text;
    }

    /// <summary>Writes what a missing field is; nothing for a message that a sender has to set.</summary>
    private string DefaultOf(SchemaField field, DeclaredType declared)
    {
        var inner = field.Type.Code == "?" ? field.Type.Parts[0] : field.Type;
        if (field.Default is { } value)
            return " = " + Constant(inner, declared, value);
        if (field.IsComputed)
            return "";
        if (field.Type.IsNullable)
            return " = None";
        return field.Type.Code switch
        {
            "[" when field.Type.Parts[0].Code != "u1" => $" = {Global("field")}(default_factory={Global("list")})",
            "{" => $" = {Global("field")}(default_factory={Global("dict")})",
            _ => Zero(field.Type, declared) is { } zero ? $" = {zero}" : "",
        };
    }

    private string Constant(WireType type, DeclaredType declared, JsonElement value)
    {
        if (schema.Types.TryGetValue(declared.Name, out var known) && known.Members.FirstOrDefault(one => one.Value.ToString(CultureInfo.InvariantCulture) == value.ToString()) is { } member)
            return $"{Global(_names[declared.Name])}.{Name(member.Name)}";
        return type.Code switch
        {
            "b" => value.GetBoolean() ? "True" : "False",
            "d" => $"{Global("Decimal")}({ExportNames.Quote(value.GetString()!)})",
            "c2" => Quote(((char)value.GetUInt16()).ToString()),
            "s" => Quote(value.GetString()!),
            "f2" or "f4" or "f8" when value.ValueKind == JsonValueKind.String => $"{Global("float")}({ExportNames.Quote(value.GetString()!)})",
            "f2" or "f4" or "f8" when value.GetRawText() == "-0" => "-0.0",
            _ => value.ToString(),
        };
    }

    /// <returns><c>null</c> for a list or a message.</returns>
    private string? Zero(WireType type, DeclaredType declared)
    {
        if (schema.Types.TryGetValue(declared.Name, out var known) && known.Members.FirstOrDefault(static one => one.Value == 0) is { } member)
            return $"{Global(_names[declared.Name])}.{Name(member.Name)}";
        switch (type.Code)
        {
            case "(":
                var parts = type.Parts.Select((part, i) => part.IsNullable ? "None" : Zero(part, declared.Parts.ElementAtOrDefault(i) ?? new DeclaredType("", false))).ToList();
                return parts.Contains(null) ? null : $"({string.Join(", ", parts)}{(parts.Count == 1 ? "," : "")})";
            case "[":
                return type.Parts[0].Code == "u1" ? "b\"\"" : null;
            case "{" or "m":
                return null;
            default:
                return type.Code switch
                {
                    "b" => "False",
                    "s" => declared.Name == "version" ? "\"0.0\"" : "\"\"",
                    "c2" => "\"\\0\"",
                    "d" => $"{Global("Decimal")}(0)",
                    "g" => $"{Global("UUID")}(int=0)",
                    "t" => $"{Global("Time")}(0, 0)",
                    "to" => $"{Global("OffsetTime")}(0, 0)",
                    "f2" or "f4" or "f8" => "0.0",
                    _ => "0",
                };
        }
    }

    private string Simple(string code) => Global(code switch
    {
        "b" => "bool",
        "s" or "c2" => "str",
        "g" => "UUID",
        "d" => "Decimal",
        "t" => "Time",
        "to" => "OffsetTime",
        "f2" or "f4" or "f8" => "float",
        _ => "int",
    });

    /// <summary>A literal of a text. Python has no pairs of surrogates, as a literal of JSON has them.</summary>
    private static string Quote(string text)
    {
        var quoted = new StringBuilder("\"");
        for (var i = 0; i < text.Length; i++)
        {
            if (char.IsSurrogatePair(text, i))
                quoted.Append("\\U").Append(char.ConvertToUtf32(text, i++).ToString("X8", CultureInfo.InvariantCulture));
            else if (text[i] is '"' or '\\')
                quoted.Append('\\').Append(text[i]);
            else if (text[i] is >= ' ' and <= '~' || char.IsLetterOrDigit(text[i]))
                quoted.Append(text[i]);
            else
                quoted.Append("\\u").Append(((int)text[i]).ToString("X4", CultureInfo.InvariantCulture));
        }

        return quoted.Append('"').ToString();
    }

    /// <summary>A name of a member. A keyword gets an underscore.</summary>
    private static string Name(string name) => s_keywords.Contains(name) || name is "contract" or "mro" ? name + "_" : name;

    private void WriteBlankLines()
    {
        output.WriteLine();
        output.WriteLine();
    }

    private void WriteDocumentation(string? documentation, string? obsolete)
    {
        if (Join(documentation, obsolete) is not { } text)
            return;
        output.WriteLine($"    \"\"\"{RemoteText.Clean(text, keepsLines: false).Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)}\"\"\"");
        output.WriteLine();
    }

    private static string? Join(string? documentation, string? obsolete) =>
        obsolete is null ? documentation : $"{documentation} Deprecated. {obsolete}".Trim();

    private void WriteComment(string indent, string? text)
    {
        if (text is not null)
            output.WriteLine($"{indent}# {RemoteText.Clean(text, keepsLines: false)}");
    }
}
