using System.Globalization;
using System.Linq;
using System.Text.Json.Nodes;

namespace Reloaded.Messaging.Tool;

/// <summary>Describes messages as the JSON that the commands of the tool read and write: as a JSON Schema, or as an AsyncAPI document.</summary>
internal sealed class JsonSchemaExport(Schema schema, string references)
{
    private IEnumerable<SchemaContract> Contracts => schema.Contracts.Values.OrderBy(static one => one.Id);

    /// <summary>Returns a JSON Schema with a definition for each contract, enum and plain struct, by their full names.</summary>
    public static JsonObject CreateSchema(Schema schema) => new()
    {
        ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
        ["$defs"] = new JsonSchemaExport(schema, "#/$defs/").Definitions(),
    };

    /// <summary>Returns an AsyncAPI document of a program that handles the requests and sends the events.</summary>
    public static JsonObject CreateAsyncApi(Schema schema, string title)
    {
        var export = new JsonSchemaExport(schema, "#/components/schemas/");
        var sent = export.Contracts.Where(static one => one.Role != "part").ToList();
        return new JsonObject
        {
            ["asyncapi"] = "3.0.0",
            ["info"] = new JsonObject { ["title"] = title, ["version"] = "1" },
            ["channels"] = new JsonObject
            {
                ["messages"] = new JsonObject { ["address"] = null, ["messages"] = Object(sent.Select(static one => (one.Name, (JsonNode)Reference($"#/components/messages/{one.Name}")))) },
            },
            ["operations"] = Object(sent.Where(static one => one.Role is not ("reply" or "item" or "report")).Select(one => (one.Name, (JsonNode)export.Operation(one)))),
            ["components"] = new JsonObject
            {
                ["messages"] = Object(sent.Select(one => (one.Name, (JsonNode)export.Message(one)))),
                ["schemas"] = export.Definitions(),
            },
        };
    }

    private JsonObject Operation(SchemaContract contract)
    {
        var operation = new JsonObject
        {
            ["action"] = contract.IsRequest ? "receive" : "send",
            ["channel"] = Reference("#/channels/messages"),
            ["messages"] = new JsonArray(Reference($"#/channels/messages/messages/{contract.Name}")),
        };
        if (Find(contract.Reply ?? contract.Item) is { } reply)
            operation["reply"] = new JsonObject { ["channel"] = Reference("#/channels/messages"), ["messages"] = new JsonArray(reply) };
        foreach (var (key, id) in new[] { ("x-reply-items", contract.Item), ("x-sent-items", contract.Sent), ("x-progress", contract.Report) })
        {
            if (Find(id) is { } other)
                operation[key] = other;
        }

        return operation;

        JsonObject? Find(uint? id) => id is { } number && schema.Contracts.TryGetValue(number, out var other) && other.Role != "part" ? Reference($"#/channels/messages/messages/{other.Name}") : null;
    }

    private JsonObject Message(SchemaContract contract)
    {
        var message = new JsonObject { ["name"] = contract.Name };
        if (contract.Documentation is not null)
            message["summary"] = contract.Documentation;
        message["payload"] = Reference(references + contract.Name);
        message["x-message-id"] = contract.Id;
        message["x-message-version"] = contract.Version;
        return message;
    }

    private JsonObject Definitions() => Object(Contracts.Select(one => (one.Name, (JsonNode)Described(OfContract(one), one.Documentation, one.Obsolete)))
        .Concat(schema.Types.Values.OrderBy(static one => one.Name, StringComparer.Ordinal).Select(one => (one.Name, (JsonNode)Described(OfType(one), one.Documentation, null)))));

    private JsonObject OfContract(SchemaContract contract)
    {
        if (contract.IsUnion)
        {
            return new JsonObject
            {
                ["oneOf"] = new JsonArray([.. contract.Fields.Select(one => (JsonNode)new JsonObject
                {
                    ["allOf"] = new JsonArray(Reference(references + one.Name)),
                    ["properties"] = new JsonObject { ["$type"] = new JsonObject { ["const"] = one.Name } },
                    ["required"] = new JsonArray("$type"),
                })]),
            };
        }

        var properties = new JsonObject();
        foreach (var field in contract.Fields)
        {
            var property = Described(Of(field.Type, DeclaredType.Of(contract, field)), field.Documentation, field.Obsolete);
            if (field.Default is { } value)
                property["default"] = JsonNode.Parse(value.GetRawText());
            properties[field.Name] = property;
        }

        var described = new JsonObject { ["type"] = "object", ["properties"] = properties };
        if (contract.Fields.Where(static one => one.IsComputed).Select(static one => (JsonNode)one.Name).ToArray() is { Length: > 0 } computed)
            described["required"] = new JsonArray(computed); // no reader knows the default of such a field
        return described;
    }

    private static JsonObject OfType(SchemaType type)
    {
        if (!type.IsEnum)
        {
            var fields = DeclaredType.FieldsOf(type);
            return new JsonObject
            {
                ["type"] = "array",
                ["prefixItems"] = new JsonArray([.. fields.Select(static field => (JsonNode)Described(Simple(field.Code), field.Name, null))]),
                ["minItems"] = fields.Count,
                ["maxItems"] = fields.Count,
            };
        }

        // A number without a name is valid: a flag, or a member of a later version.
        var schema = Simple(type.Code);
        schema["x-enum-members"] = Object(type.Members.Select(static member => (member.Name, JsonNode.Parse(member.Value.ToString(CultureInfo.InvariantCulture))!)));
        return schema;
    }

    private JsonObject Of(WireType type, DeclaredType declared)
    {
        if (type.Code == "?")
            return OrNull(Of(type.Parts[0], declared));
        var value = type.Code switch
        {
            "m" => Reference(references + declared.Name),
            "[" when type.Parts[0].Code == "u1" => new JsonObject { ["type"] = "string", ["pattern"] = "^([0-9A-Fa-f]{2})*$" },
            "[" => ListOf(type, declared),
            "{" when type.Parts[0].Code == "s" => new JsonObject { ["type"] = "object", ["additionalProperties"] = Of(type.Parts[1], declared.Parts[1]) },
            "{" => new JsonObject { ["type"] = "array", ["items"] = Array(Of(type.Parts[0], declared.Parts[0]), Of(type.Parts[1], declared.Parts[1])) },
            "(" when declared.Name == "(" => Array([.. type.Parts.Select((part, i) => Of(part, declared.Parts[i]))]),
            _ when schema.Types.ContainsKey(declared.Name) => Reference(references + declared.Name),
            _ when declared.Name == "uri" => new JsonObject { ["type"] = "string", ["format"] = "uri-reference" },
            _ => Simple(type.Code),
        };
        return type.IsNullable ? OrNull(value) : value;
    }

    private JsonObject ListOf(WireType type, DeclaredType declared)
    {
        var list = new JsonObject { ["type"] = "array", ["items"] = Of(type.Parts[0], declared.Parts[0]) };
        if (declared.IsSet)
            list["uniqueItems"] = true;
        return list;
    }

    private static JsonObject Simple(string code) => code switch
    {
        "b" => new JsonObject { ["type"] = "boolean" },
        "i1" => Integer(sbyte.MinValue, sbyte.MaxValue),
        "i2" => Integer(short.MinValue, short.MaxValue),
        "i4" => Integer(int.MinValue, int.MaxValue),
        "u1" => Integer(byte.MinValue, byte.MaxValue),
        "u2" => Integer(ushort.MinValue, ushort.MaxValue),
        "u4" => Integer(uint.MinValue, uint.MaxValue),
        "i8" or "u8" or "i16" or "u16" => new JsonObject { ["type"] = new JsonArray("string", "integer"), ["pattern"] = "^-?[0-9]+$" },
        "d" => new JsonObject { ["type"] = new JsonArray("string", "number"), ["pattern"] = "^-?[0-9]+(\\.[0-9]+)?$" },
        "f2" or "f4" or "f8" => new JsonObject { ["anyOf"] = new JsonArray(new JsonObject { ["type"] = "number" }, new JsonObject { ["enum"] = new JsonArray("NaN", "Infinity", "-Infinity") }) },
        "g" => new JsonObject { ["type"] = "string", ["format"] = "uuid" },
        "dd" => new JsonObject { ["type"] = "string", ["format"] = "date" },
        "c2" => new JsonObject { ["type"] = new JsonArray("string", "integer") },
        _ => new JsonObject { ["type"] = "string" },
    };

    private static JsonObject Integer(long minimum, long maximum) => new() { ["type"] = "integer", ["minimum"] = minimum, ["maximum"] = maximum };

    private static JsonObject Array(params JsonNode[] items) => new() { ["type"] = "array", ["prefixItems"] = new JsonArray(items), ["minItems"] = items.Length, ["maxItems"] = items.Length };

    private static JsonObject OrNull(JsonObject value) => new() { ["anyOf"] = new JsonArray(value, new JsonObject { ["type"] = "null" }) };

    private static JsonObject Reference(string path) => new() { ["$ref"] = path };

    private static JsonObject Described(JsonObject value, string? documentation, string? obsolete)
    {
        if (documentation is not null)
            value["description"] = documentation;
        if (obsolete is not null)
            value["deprecated"] = true;
        return value;
    }

    private static JsonObject Object(IEnumerable<(string Name, JsonNode Value)> members)
    {
        var value = new JsonObject();
        foreach (var (name, member) in members)
            value[name] = member;
        return value;
    }
}
