using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes a payload as JSON by the schema. Fields that the payload lacks are left out.</summary>
internal sealed class JsonPayloadReader(Schema schema, string message, Utf8JsonWriter json)
{
    /// <summary>The memory that a value may take as JSON, for the limit of the reader.</summary>
    private const int Memory = 16;

    /// <summary>The arrays and objects around a value. <see cref="Utf8JsonWriter"/> allows 1,000, and a dictionary opens two.</summary>
    private const int MaxDepth = 500;

    /// <returns><c>false</c> if the bytes are not such a message, or if a contract is missing in the schema; otherwise, <c>true</c>.</returns>
    /// <exception cref="ToolException">Thrown when values are nested too deeply.</exception>
    public bool TryReadMessage(ref PayloadReader reader, SchemaContract contract)
    {
        json.WriteStartObject();
        if (!TryReadFields(ref reader, contract))
            return false;
        json.WriteEndObject();
        return true;
    }

    private bool TryReadFields(ref PayloadReader reader, SchemaContract contract)
    {
        if (contract.IsUnion)
            return TryReadUnion(ref reader, contract);
        if (contract.IsTolerant)
            return TryReadNumbered(ref reader, contract);
        foreach (var field in contract.Fields)
        {
            if (reader.IsAtEnd)
                return true;
            json.WritePropertyName(field.Name);
            if (!TryReadValue(ref reader, field.Type))
                return false;
        }

        return true; // the bytes after the last field come from a newer sender
    }

    private bool TryReadUnion(ref PayloadReader reader, SchemaContract contract)
    {
        if (!reader.TryReadUVarint(out var tag))
            return false;
        foreach (var one in contract.Fields)
        {
            if (one.Number == tag && schema.Contracts.TryGetValue(one.Type.Message, out var type) && !type.IsUnion)
            {
                json.WriteString("$type", one.Name);
                return TryReadFields(ref reader, type);
            }
        }

        return false;
    }

    private bool TryReadNumbered(ref PayloadReader reader, SchemaContract contract)
    {
        var last = -1L;
        while (!reader.IsAtEnd)
        {
            if (!reader.TryEnterField(last, out var number, out var outerEnd))
                return false;
            last = number;
            if (Find(contract, number) is not { } field)
            {
                reader.Leave(outerEnd);
                continue;
            }

            json.WritePropertyName(field.Name);
            if (!TryReadValue(ref reader, field.Type) || !reader.TryLeaveField(outerEnd))
                return false;
        }

        return true;
    }

    private static SchemaField? Find(SchemaContract contract, uint number)
    {
        foreach (var field in contract.Fields)
        {
            if (field.Number == number)
                return field;
        }

        return null;
    }

    private bool TryReadValue(ref PayloadReader reader, WireType type)
    {
        if (json.CurrentDepth >= MaxDepth)
            throw ToolException.Invalid($"{message} has values that are nested {MaxDepth} levels deep or deeper; the tool prints fewer levels. Check the schema.");
        return type.Code switch
        {
            "m" => TryReadNested(ref reader, type),
            "s" => TryReadString(ref reader, type),
            "[" => TryReadArray(ref reader, type),
            "{" => TryReadDictionary(ref reader, type),
            "(" => TryReadStruct(ref reader, type),
            "?" => TryReadNullable(ref reader, type),
            _ => FixedValue.All[type.Code].TryRead(ref reader, json),
        };
    }

    private bool TryReadNested(ref PayloadReader reader, WireType type)
    {
        if (!schema.Contracts.TryGetValue(type.Message, out var contract) || !reader.TryEnter(Memory, out var isNull, out var outerEnd))
            return false;
        if (isNull)
            return TryWriteNull(type);
        if (!TryReadMessage(ref reader, contract))
            return false;
        reader.Leave(outerEnd);
        return true;
    }

    private bool TryReadString(ref PayloadReader reader, WireType type)
    {
        if (!reader.TryReadString(out var text))
            return false;
        if (text is null)
            return TryWriteNull(type);
        json.WriteStringValue(text);
        return true;
    }

    private bool TryReadArray(ref PayloadReader reader, WireType type)
    {
        if (!reader.TryReadCount(1, Memory, out var count))
            return false;
        if (count < 0)
            return TryWriteNull(type);
        if (type.Parts[0].Code == "u1")
            return TryReadBytes(ref reader, count);
        json.WriteStartArray();
        for (var i = 0; i < count; i++)
        {
            if (!TryReadValue(ref reader, type.Parts[0]))
                return false;
        }

        json.WriteEndArray();
        return true;
    }

    private bool TryReadBytes(ref PayloadReader reader, int count)
    {
        var bytes = new byte[count];
        if (!reader.TryReadBlock<byte>(bytes))
            return false;
        json.WriteStringValue(Convert.ToHexString(bytes));
        return true;
    }

    /// <summary>Writes a dictionary with strings as keys as an object, and any other dictionary as an array of pairs.</summary>
    private bool TryReadDictionary(ref PayloadReader reader, WireType type)
    {
        if (!reader.TryReadCount(1, 2 * Memory, out var count))
            return false;
        if (count < 0)
            return TryWriteNull(type);
        var isObject = type.Parts[0].Code == "s";
        WriteStart(isObject);
        for (var i = 0; i < count; i++)
        {
            if (!(isObject ? TryReadNamedValue(ref reader, type) : TryReadPair(ref reader, type)))
                return false;
        }

        WriteEnd(isObject);
        return true;
    }

    private bool TryReadNamedValue(ref PayloadReader reader, WireType type)
    {
        if (!reader.TryReadRequiredString(out var key))
            return false;
        json.WritePropertyName(key);
        return TryReadValue(ref reader, type.Parts[1]);
    }

    private bool TryReadPair(ref PayloadReader reader, WireType type)
    {
        json.WriteStartArray();
        if (!TryReadValue(ref reader, type.Parts[0]) || !TryReadValue(ref reader, type.Parts[1]))
            return false;
        json.WriteEndArray();
        return true;
    }

    private bool TryReadStruct(ref PayloadReader reader, WireType type)
    {
        json.WriteStartArray();
        foreach (var part in type.Parts)
        {
            if (!TryReadValue(ref reader, part))
                return false;
        }

        json.WriteEndArray();
        return true;
    }

    private bool TryReadNullable(ref PayloadReader reader, WireType type)
    {
        if (!reader.TryReadBoolean(out var hasValue))
            return false;
        return hasValue ? TryReadValue(ref reader, type.Parts[0]) : TryWriteNull(type);
    }

    private bool TryWriteNull(WireType type)
    {
        if (type.IsNullable)
            json.WriteNullValue();
        return type.IsNullable;
    }

    private void WriteStart(bool isObject)
    {
        if (isObject)
            json.WriteStartObject();
        else
            json.WriteStartArray();
    }

    private void WriteEnd(bool isObject)
    {
        if (isObject)
            json.WriteEndObject();
        else
            json.WriteEndArray();
    }
}
