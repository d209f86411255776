using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>The file with the schema of an assembly.</summary>
internal static class SchemaFile
{
    private const int Format = 2;

    /// <summary>Writes a schema as JSON. The text depends on the contracts alone, and not on the order of source files.</summary>
    public static string Write(string? assembly, IEnumerable<SchemaContract> contracts)
    {
        var all = contracts.OrderBy(static one => one.Id).ThenBy(static one => one.Name, StringComparer.Ordinal).ToList();
        var roles = new SchemaRoles(all);
        var text = new StringBuilder("{\n");
        text.Append("  \"format\": ").Append(Format).Append(",\n  \"assembly\": ").Append(JsonString.Quote(assembly ?? "")).Append(",\n  \"contracts\": [");
        var separator = "\n";
        foreach (var contract in all)
        {
            text.Append(separator);
            Write(text, contract, roles);
            separator = ",\n";
        }

        text.Append("\n  ],\n  \"types\": [");
        separator = "\n";
        var types = all.SelectMany(static one => one.Model!.Fields).SelectMany(static field => DeclaredType.NamedTypesIn(field.Type))
            .GroupBy(static type => type.Name).Select(static group => group.First()).OrderBy(static type => type.Name, StringComparer.Ordinal);
        foreach (var type in types)
        {
            text.Append(separator);
            Write(text, type);
            separator = ",\n";
        }

        return text.Append(separator == "\n" ? "]\n}\n" : "\n  ]\n}\n").ToString();
    }

    /// <summary>Reads a schema that was written earlier.</summary>
    /// <param name="text">The text of the file.</param>
    /// <param name="reason">Why the text is not a schema, if its JSON or a name in it is invalid; otherwise, <see langword="null"/>.</param>
    /// <returns>The contracts, or <see langword="null"/> if the text is not a schema, or has a later format.</returns>
    public static List<SchemaContract>? TryRead(string text, out string? reason)
    {
        reason = null;
        try
        {
            var schema = JsonText.Parse(text);
            return (double)Member(schema, "format")! > Format ? null : ((List<object?>)Member(schema, "contracts")!).ConvertAll(static one => Contract(one!));
        }
        catch (Exception e) when (e is FormatException or InvalidCastException or KeyNotFoundException or NullReferenceException)
        {
            reason = (e as FormatException)?.Message;
            return null;
        }
    }

    private static void Write(StringBuilder text, SchemaContract contract, SchemaRoles roles)
    {
        var model = contract.Model!;
        text.Append("    {\n      \"id\": ").Append(contract.Id);
        text.Append(",\n      \"name\": ").Append(JsonString.Quote(contract.Name));
        text.Append(",\n      \"kind\": ").Append(JsonString.Quote(contract.Kind));
        text.Append(",\n      \"struct\": ").Append(contract.IsStruct ? "true" : "false");
        text.Append(",\n      \"version\": ").Append(contract.Version);
        text.Append(",\n      \"serializer\": \"binary\",\n      \"compressor\": ").Append(contract.Compressor is null ? "null" : JsonString.Quote(contract.Compressor));
        if (contract.Compressor is not null)
        {
            text.Append(",\n      \"compressorName\": ").Append(contract.CompressorName is { } name ? JsonString.Quote(name) : "null");
            text.Append(",\n      \"compressionThreshold\": ").Append(model.CompressionThreshold);
        }

        var role = roles.Of(contract);
        text.Append(",\n      \"role\": ").Append(JsonString.Quote(role));
        if (model.Use.HasReply is { } hasReply && (!hasReply || model.Use.Reply is not null))
            text.Append(",\n      \"reply\": ").Append(hasReply ? model.Use.Reply!.Value.ToString(CultureInfo.InvariantCulture) : "null");
        foreach (var (key, id) in new[] { ("item", model.Use.Item), ("sent", model.Use.Sent), ("report", model.Use.Report) })
        {
            if (id is { } other)
                text.Append(",\n      \"").Append(key).Append("\": ").Append(other.ToString(CultureInfo.InvariantCulture));
        }

        if (model.Use.Service is { } service)
            text.Append(",\n      \"service\": ").Append(JsonString.Quote(service));
        Write(text, model.Notes, ",\n      ");
        text.Append(",\n      \"layout\": ").Append(JsonString.Quote(contract.Layout!));
        text.Append(",\n      \"fields\": [");
        for (var i = 0; i < contract.Fields.Count; i++)
        {
            var field = contract.Fields[i];
            text.Append(i == 0 ? "\n" : ",\n").Append("        { \"number\": ").Append(field.Number);
            text.Append(", \"name\": ").Append(JsonString.Quote(field.Name)).Append(", \"type\": ").Append(JsonString.Quote(field.Type)).Append(", \"code\": ").Append(JsonString.Quote(field.Code));
            text.Append(", \"declared\": ").Append(JsonString.Quote(field.Declared));
            if (field.Default is not null)
                text.Append(", \"default\": ").Append(field.Default);
            if (field.IsComputed)
                text.Append(", \"computed\": true");
            text.Append(", \"shape\": \"").Append(field.Shape.ToString("X16", CultureInfo.InvariantCulture)).Append('"');
            Write(text, field.Notes, ", ");
            text.Append(" }");
        }

        text.Append(contract.Fields.Count == 0 ? "]\n    }" : "\n      ]\n    }");
    }

    private static void Write(StringBuilder text, Notes? notes, string separator)
    {
        if (notes?.Documentation is { } documentation)
            text.Append(separator).Append("\"documentation\": ").Append(JsonString.Quote(documentation));
        if (notes?.Obsolete is { } obsolete)
            text.Append(separator).Append("\"obsolete\": ").Append(JsonString.Quote(obsolete));
    }

    private static void Write(StringBuilder text, WireType type)
    {
        var isEnum = !type.Code.StartsWith("(", StringComparison.Ordinal);
        text.Append("    {\n      \"name\": ").Append(JsonString.Quote(GenericNames.InSchema(type.Name)));
        text.Append(",\n      \"kind\": ").Append(isEnum ? "\"enum\"" : "\"struct\"").Append(",\n      \"code\": ").Append(JsonString.Quote(type.Code));
        Write(text, type.Notes!.Notes, ",\n      ");
        if (!isEnum)
        {
            text.Append(",\n      \"layout\": ").Append(JsonString.Quote(type.Layout!)).Append("\n    }");
            return;
        }

        text.Append(",\n      \"flags\": ").Append(type.Notes.IsFlags ? "true" : "false").Append(",\n      \"members\": [");
        var members = type.Layout!.Substring(type.Code.Length + 1).TrimEnd('>').Split([','], StringSplitOptions.RemoveEmptyEntries);
        var quote = type.Code is "i8" or "u8" ? "\"" : "";
        for (var i = 0; i < members.Length; i++)
        {
            var parts = members[i].Split('=');
            text.Append(i == 0 ? "\n" : ",\n").Append("        { \"name\": ").Append(JsonString.Quote(parts[0])).Append(", \"value\": ").Append(quote).Append(parts[1]).Append(quote);
            Write(text, type.Notes.Members[i], ", ");
            text.Append(" }");
        }

        text.Append(members.Length == 0 ? "]\n    }" : "\n      ]\n    }");
    }

    private static SchemaContract Contract(object contract) => new(
        (long)(double)Member(contract, "id")!,
        Name(contract, isFull: true),
        (string)Member(contract, "kind")!,
        (bool)Member(contract, "struct")!,
        (long)(double)Member(contract, "version")!,
        (string?)Member(contract, "compressor"),
        Text(contract, "compressorName"),
        Text(contract, "layout"),
        ((List<object?>)Member(contract, "fields")!).Select(field => new SchemaField(
            (long)(double)Member(field, "number")!,
            Name(field, isFull: (string)Member(contract, "kind")! == SchemaContract.Union),
            (string)Member(field, "type")!,
            (string)Member(field, "code")!,
            null,
            0,
            "")).ToList());

    private static string Name(object? value, bool isFull)
    {
        var name = (string)Member(value, "name")!;
        return (isFull ? SchemaName.IsFull(name) : SchemaName.IsIdentifier(name)) ? name : throw new FormatException($"A {(isFull ? "contract" : "field")} has the name '{name}'. {SchemaName.Rule}");
    }

    /// <summary>Returns the text of a member; <see langword="null"/> if an earlier version left the member out.</summary>
    private static string? Text(object value, string name) => ((Dictionary<string, object?>)value).TryGetValue(name, out var text) ? (string?)text : null;

    private static object? Member(object? value, string name) => ((Dictionary<string, object?>)value!)[name];
}

/// <summary>The roles of all contracts of an assembly, as their declarations name them.</summary>
internal sealed class SchemaRoles
{
    private readonly HashSet<long> _replies;
    private readonly HashSet<long> _items;
    private readonly HashSet<long> _reports;
    private readonly HashSet<string> _parts;

    public SchemaRoles(IReadOnlyList<SchemaContract> contracts)
    {
        _replies = [.. contracts.Select(static one => one.Model!.Use.Reply).OfType<long>()];
        _items = [.. contracts.SelectMany(static one => new[] { one.Model!.Use.Item, one.Model.Use.Sent }).OfType<long>()];
        _reports = [.. contracts.Select(static one => one.Model!.Use.Report).OfType<long>()];
        _parts = [.. contracts.SelectMany(static one => one.Layout!.Split('@').Skip(1)).Select(static text => new string([.. text.TakeWhile(char.IsDigit)]))];
    }

    /// <summary>Returns the role of a contract. A message that is inside of others, and has no other role, is a part. Every other message can be sent as an event.</summary>
    public string Of(SchemaContract contract) => contract.Model!.Use.Role switch
    {
        ContractRole.Request => "request",
        ContractRole.Reply => "reply",
        ContractRole.Event => "event",
        ContractRole.Stream => "stream",
        _ when _replies.Contains(contract.Id) => "reply",
        _ when _items.Contains(contract.Id) => "item",
        _ when _reports.Contains(contract.Id) => "report",
        _ when _parts.Contains(contract.Id.ToString(CultureInfo.InvariantCulture)) => "part",
        _ => "event",
    };
}
