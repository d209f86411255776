using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>The file with the schema of an assembly.</summary>
internal static class SchemaFile
{
    /// <summary>Writes a schema as JSON. The text depends on the contracts alone, and not on the order of source files.</summary>
    public static string Write(string? assembly, IEnumerable<SchemaContract> contracts)
    {
        var text = new StringBuilder("{\n");
        text.Append("  \"format\": 2,\n  \"assembly\": ").Append(JsonString.Quote(assembly ?? "")).Append(",\n  \"contracts\": [");
        var separator = "\n";
        foreach (var contract in contracts.OrderBy(static one => one.Id).ThenBy(static one => one.Name, System.StringComparer.Ordinal))
        {
            text.Append(separator);
            Write(text, contract);
            separator = ",\n";
        }

        return text.Append("\n  ]\n}\n").ToString();
    }

    /// <summary>Reads a schema that was written earlier.</summary>
    /// <returns>The contracts, or <see langword="null"/> if the text is not a schema.</returns>
    public static List<SchemaContract>? TryRead(string text)
    {
        try
        {
            return ((List<object?>)Member(JsonText.Parse(text), "contracts")!).ConvertAll(static one => Contract(one!));
        }
        catch (Exception e) when (e is FormatException or InvalidCastException or KeyNotFoundException or NullReferenceException)
        {
            return null;
        }
    }

    private static void Write(StringBuilder text, SchemaContract contract)
    {
        text.Append("    {\n      \"id\": ").Append(contract.Id);
        text.Append(",\n      \"name\": ").Append(JsonString.Quote(contract.Name));
        text.Append(",\n      \"kind\": ").Append(JsonString.Quote(contract.Kind));
        text.Append(",\n      \"struct\": ").Append(contract.IsStruct ? "true" : "false");
        text.Append(",\n      \"version\": ").Append(contract.Version);
        text.Append(",\n      \"serializer\": \"binary\",\n      \"compressor\": ").Append(contract.Compressor is null ? "null" : JsonString.Quote(contract.Compressor));
        text.Append(",\n      \"layout\": ").Append(JsonString.Quote(contract.Layout!));
        text.Append(",\n      \"fields\": [");
        for (var i = 0; i < contract.Fields.Count; i++)
        {
            var field = contract.Fields[i];
            text.Append(i == 0 ? "\n" : ",\n").Append("        { \"number\": ").Append(field.Number);
            text.Append(", \"name\": ").Append(JsonString.Quote(field.Name)).Append(", \"type\": ").Append(JsonString.Quote(field.Type)).Append(", \"code\": ").Append(JsonString.Quote(field.Code));
            if (field.Default is not null)
                text.Append(", \"default\": ").Append(field.Default);
            text.Append(", \"shape\": \"").Append(field.Shape.ToString("X16", CultureInfo.InvariantCulture)).Append("\" }");
        }

        text.Append(contract.Fields.Count == 0 ? "]\n    }" : "\n      ]\n    }");
    }

    private static SchemaContract Contract(object contract) => new(
        (long)(double)Member(contract, "id")!,
        (string)Member(contract, "name")!,
        (string)Member(contract, "kind")!,
        (bool)Member(contract, "struct")!,
        (long)(double)Member(contract, "version")!,
        (string?)Member(contract, "compressor"),
        ((Dictionary<string, object?>)contract).TryGetValue("layout", out var layout) ? (string?)layout : null,
        ((List<object?>)Member(contract, "fields")!).Select(static field => new SchemaField(
            (long)(double)Member(field, "number")!,
            (string)Member(field, "name")!,
            (string)Member(field, "type")!,
            (string)Member(field, "code")!,
            null,
            0)).ToList());

    private static object? Member(object? value, string name) => ((Dictionary<string, object?>)value!)[name];
}
