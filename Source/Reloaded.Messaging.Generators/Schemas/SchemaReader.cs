using System;
using System.Collections.Generic;
using System.Linq;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>Reads a schema that was written earlier.</summary>
internal static class SchemaReader
{
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

    private static SchemaContract Contract(object contract) => new(
        (long)(double)Member(contract, "id")!,
        (string)Member(contract, "name")!,
        (string)Member(contract, "kind")!,
        (bool)Member(contract, "struct")!,
        (long)(double)Member(contract, "version")!,
        (string?)Member(contract, "compressor"),
        ((List<object?>)Member(contract, "fields")!).Select(static field => new SchemaField(
            (long)(double)Member(field, "number")!,
            (string)Member(field, "name")!,
            (string)Member(field, "type")!,
            (string)Member(field, "code")!,
            null,
            0)).ToList());

    private static object? Member(object? value, string name) => ((Dictionary<string, object?>)value!)[name];
}
