using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>Writes the schema of an assembly as JSON. The text depends on the contracts alone, and not on the order of source files.</summary>
internal static class SchemaWriter
{
    public static string Write(string? assembly, IEnumerable<SchemaContract> contracts)
    {
        var text = new StringBuilder("{\n");
        text.Append("  \"format\": 1,\n  \"assembly\": ").Append(JsonString.Quote(assembly ?? "")).Append(",\n  \"contracts\": [");
        var separator = "\n";
        foreach (var contract in contracts.OrderBy(static one => one.Id).ThenBy(static one => one.Name, System.StringComparer.Ordinal))
        {
            text.Append(separator);
            Write(text, contract);
            separator = ",\n";
        }

        return text.Append("\n  ]\n}\n").ToString();
    }

    private static void Write(StringBuilder text, SchemaContract contract)
    {
        text.Append("    {\n      \"id\": ").Append(contract.Id);
        text.Append(",\n      \"name\": ").Append(JsonString.Quote(contract.Name));
        text.Append(",\n      \"kind\": ").Append(JsonString.Quote(contract.Kind));
        text.Append(",\n      \"struct\": ").Append(contract.IsStruct ? "true" : "false");
        text.Append(",\n      \"version\": ").Append(contract.Version);
        text.Append(",\n      \"serializer\": \"binary\",\n      \"compressor\": ").Append(contract.Compressor is null ? "null" : JsonString.Quote(contract.Compressor));
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
}
