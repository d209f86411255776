using System.Globalization;
using System.Linq;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes JSON as a payload by the schema. Fields that the JSON lacks have the default of the schema.</summary>
internal sealed class JsonPayloadWriter(Schema schema, MessageBuffer buffer)
{
    /// <exception cref="ToolException">Thrown when the JSON does not fit the contract.</exception>
    public void WriteMessage(SchemaContract contract, JsonElement json)
    {
        if (json.ValueKind != JsonValueKind.Object)
            throw ToolException.Invalid($"{contract.Name} is a message, and the JSON is {json.ValueKind}. Write an object: {{\"field\": value}}.");
        if (contract.IsUnion)
        {
            WriteUnion(contract, json);
            return;
        }

        WriteFields(contract, json);
    }

    private void WriteUnion(SchemaContract contract, JsonElement json)
    {
        var name = json.TryGetProperty("$type", out var type) && type.ValueKind == JsonValueKind.String ? type.GetString() : null;
        var ends = contract.Fields.Where(one => one.Name.EndsWith("." + name, StringComparison.Ordinal)).ToList();
        var field = contract.Fields.FirstOrDefault(one => one.Name == name) ?? (ends.Count == 1 ? ends[0] : null)
            ?? throw ToolException.Invalid($"{contract.Name} is a union. Set \"$type\" to one of: {string.Join(", ", contract.Fields.Select(static one => one.Name))}.");
        buffer.WriteUVarint(field.Number);
        WriteFields(Find(field.Type.Message), json);
    }

    private void WriteFields(SchemaContract contract, JsonElement json)
    {
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var property in json.EnumerateObject())
        {
            ThrowIfRepeated(names.Add(property.Name), property.Name, contract.Name); // only the last value would be sent
            if (property.Name != "$type" && !contract.Fields.Any(field => field.Name == property.Name))
                throw ToolException.Invalid($"{contract.Name} has no field {property.Name}. {(contract.Fields.Count == 0 ? "It has no fields: write {}" : $"Its fields: {string.Join(", ", contract.Fields.Select(static field => field.Name))}")}.");
        }

        foreach (var field in contract.Fields)
        {
            var where = $"{contract.Name}.{field.Name}";
            var start = contract.IsTolerant ? StartField(field) : 0;
            var declared = field.Declared is null || field.Type.Parts.Count == 0 ? null : DeclaredType.Of(contract, field); // a schema of format 1 does not tell sets from lists
            if (json.TryGetProperty(field.Name, out var value))
                WriteValue(field.Type, declared, value, where);
            else if (field.Default is { } missing)
                WriteValue(field.Type, declared, missing, where);
            else if (field.IsComputed)
                throw ToolException.Invalid($"{where} is missing, and code of .NET computes its default. Add it to the JSON.");
            else
                WriteZero(field.Type, where);
            if (contract.IsTolerant)
                buffer.EndNested(start);
        }
    }

    private int StartField(SchemaField field)
    {
        buffer.WriteUVarint(field.Number);
        return buffer.StartNested();
    }

    private void WriteValue(WireType type, DeclaredType? declared, JsonElement json, string where)
    {
        if (json.ValueKind == JsonValueKind.Null)
        {
            if (!type.IsNullable)
                throw ToolException.Invalid($"{where} is null, and must not be.");
            buffer.WriteNull();
            return;
        }

        try
        {
            WriteNonNull(type, declared, json, where);
        }
        catch (Exception e) when (e is FormatException or OverflowException or InvalidOperationException or KeyNotFoundException or ArgumentException)
        {
            throw ToolException.Invalid($"{where} has the type {type.Describe(id => Find(id).Name)}, and its value is {Shorten(json.GetRawText())}: {e.Message}");
        }
    }

    private void WriteNonNull(WireType type, DeclaredType? declared, JsonElement json, string where)
    {
        switch (type.Code)
        {
            case "m":
                var start = buffer.StartNested();
                WriteMessage(Find(type.Message), json);
                buffer.EndNested(start);
                break;
            case "s":
                buffer.WriteString(json.GetString());
                break;
            case "[" when type.Parts[0].Code == "u1" && json.ValueKind == JsonValueKind.String:
                var bytes = Convert.FromHexString(json.GetString()!);
                var seen = new HashSet<byte>();
                foreach (var one in declared is { IsSet: true } ? bytes : [])
                    ThrowIfRepeated(seen.Add(one), one.ToString("X2", CultureInfo.InvariantCulture), where);
                buffer.WriteCount(bytes.Length);
                buffer.WriteBlock<byte>(bytes);
                break;
            case "[":
                WriteList(type.Parts[0], declared, json, where);
                break;
            case "{":
                WriteDictionary(type, declared, json, where);
                break;
            case "(":
                CheckCount(json, type.Parts.Count);
                for (var i = 0; i < type.Parts.Count; i++)
                    WriteValue(type.Parts[i], PartOf(declared, i), json[i], where);
                break;
            case "?":
                buffer.WriteBoolean(true);
                WriteValue(type.Parts[0], declared, json, where);
                break;
            default:
                FixedValue.All[type.Code].Write(buffer, json);
                break;
        }
    }

    private void WriteList(WireType type, DeclaredType? declared, JsonElement json, string where)
    {
        var seen = declared is { IsSet: true } ? new HashSet<string>() : null;
        buffer.WriteCount(json.GetArrayLength());
        foreach (var item in json.EnumerateArray())
            WriteKey(type, PartOf(declared, 0), item, where, seen);
    }

    private void WriteDictionary(WireType type, DeclaredType? declared, JsonElement json, string where)
    {
        var seen = new HashSet<string>();
        if (json.ValueKind == JsonValueKind.Object)
        {
            if (type.Parts[0].Code != "s")
                throw new FormatException("write it as an array of pairs, because its keys are not strings");
            buffer.WriteCount(json.EnumerateObject().Count());
            foreach (var property in json.EnumerateObject())
            {
                ThrowIfRepeated(seen.Add(property.Name), property.Name, where);
                buffer.WriteString(property.Name);
                WriteValue(type.Parts[1], PartOf(declared, 1), property.Value, where);
            }

            return;
        }

        buffer.WriteCount(json.GetArrayLength());
        foreach (var pair in json.EnumerateArray())
        {
            CheckCount(pair, 2);
            WriteKey(type.Parts[0], PartOf(declared, 0), pair[0], where, seen);
            WriteValue(type.Parts[1], PartOf(declared, 1), pair[1], where);
        }
    }

    /// <summary>Writes a key, or an item. Of a dictionary or a set, it throws for one that equals an earlier one: a receiver refuses equal keys.</summary>
    private void WriteKey(WireType type, DeclaredType? declared, JsonElement json, string where, HashSet<string>? seen)
    {
        WriteValue(type, declared, json, where);
        if (seen is null || !EqualKeys.AreComparable(type))
            return;
        using var key = new ReusableBuffer();
        new JsonPayloadWriter(schema, key.Buffer).WriteValue(type, declared, json, where);
        ThrowIfRepeated(seen.Add(EqualKeys.Describe(type, key.Written.Span)), json.GetRawText(), where);
    }

    private static void ThrowIfRepeated(bool isFirst, string text, string where)
    {
        if (!isFirst)
            throw ToolException.Invalid($"{where} has {Shorten(text)} twice. Remove one.");
    }

    private static DeclaredType? PartOf(DeclaredType? declared, int index) => declared is not null && index < declared.Parts.Count ? declared.Parts[index] : null; // a struct has a name in place of its parts

    private static void CheckCount(JsonElement json, int count)
    {
        if (json.GetArrayLength() != count)
            throw new FormatException($"it has {json.GetArrayLength()} values; the contract needs {count}");
    }

    /// <summary>Writes the value of a missing field without a default: null, zero, or an empty collection.</summary>
    private void WriteZero(WireType type, string where)
    {
        if (type.IsNullable)
        {
            buffer.WriteNull();
        }
        else if (type.Code == "m")
        {
            var contract = Find(type.Message);
            if (!contract.IsStruct)
                throw ToolException.Invalid($"{where} is missing, and has no default. Add it to the JSON.");
            var start = buffer.StartNested();
            foreach (var field in contract.Fields)
                WriteZero(field.Type, $"{contract.Name}.{field.Name}");
            buffer.EndNested(start);
        }
        else if (type.Code == "(")
        {
            foreach (var part in type.Parts)
                WriteZero(part, where);
        }
        else if (type.Code is "s" or "[" or "{")
        {
            buffer.WriteCount(0);
        }
        else
        {
            Span<byte> zeros = stackalloc byte[16];
            zeros.Clear();
            buffer.WriteBlock<byte>(zeros.Slice(0, FixedValue.All[type.Code].Size));
        }
    }

    private SchemaContract Find(uint id) => schema.Contracts.TryGetValue(id, out var contract)
        ? contract
        : throw ToolException.Invalid($"The schema has no message {id}, which a contract contains. Name the file of that contract by --schema too.");

    private static string Shorten(string text) => text.Length <= 60 ? text : string.Concat(text.AsSpan(0, 60), "…");
}
