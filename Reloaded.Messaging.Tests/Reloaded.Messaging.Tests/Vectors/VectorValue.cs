using System.Collections;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Numerics;
using System.Reflection;
using System.Text.Json.Nodes;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Writes a message's value as JSON that every language can compare: docs/vectors/README.md describes the forms.</summary>
internal static class VectorValue
{
    public static JsonNode? Write(object? value, Type declared) => value switch
    {
        null => null,
        bool or sbyte or byte or short or ushort or int or uint or float or double => Number(value),
        char unit => JsonValue.Create((int)unit),
        Enum number => JsonValue.Create(Convert.ToInt64(number, CultureInfo.InvariantCulture)),
        long or ulong => JsonValue.Create(Convert.ToString(value, CultureInfo.InvariantCulture)),
        Guid guid => JsonValue.Create(guid.ToString("D")),
        TimeSpan span => JsonValue.Create(Text(span.Ticks)),
        decimal number => JsonValue.Create(Write(number)),
        DateTime time => new JsonObject { ["ticks"] = Text((time.Kind == DateTimeKind.Local ? time.ToUniversalTime() : time).Ticks), ["kind"] = (int)time.Kind },
        DateTimeOffset time => new JsonObject { ["ticks"] = Text(time.Ticks), ["minutes"] = (int)time.Offset.TotalMinutes },
        string text => JsonValue.Create(text),
        BigInteger number => Write(number.ToByteArray(), typeof(byte[])),
        IPAddress address => Write(address.GetAddressBytes(), typeof(byte[])),
        IPEndPoint end => new JsonArray(Write(end.Address, typeof(IPAddress)), end.Port),
        Array { Rank: > 1 } items => new JsonArray([.. Enumerable.Range(0, items.Rank).Select(i => (JsonNode)items.GetLength(i)), Write(items.Cast<object?>().ToArray(), typeof(object[]))]),
        IDictionary pairs => new JsonArray([.. pairs.Keys.Cast<object>().Select(key => new JsonArray(Write(key, key.GetType()), Write(pairs[key], declared.GenericTypeArguments[1])))]),
        IEnumerable items => new JsonArray([.. items.Cast<object?>().Select(item => Write(item, declared.GetElementType() ?? declared.GenericTypeArguments[0]))]),
        _ when IsMessage(value.GetType()) => WriteMessage(value, declared),
        _ => new JsonArray([.. WriteStruct(value)]),
    };

    private static JsonObject WriteMessage(object value, Type declared)
    {
        var message = new JsonObject();
        if (declared.IsAbstract)
            message["$type"] = value.GetType().FullName!.Replace('+', '.');
        foreach (var field in value.GetType().GetFields(BindingFlags.NonPublic | BindingFlags.Instance).Where(static field => field.IsDefined(typeof(MessageIncludeAttribute))))
            message[field.Name] = Write(field.GetValue(value), field.FieldType);
        foreach (var property in value.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(property => !message.ContainsKey(property.Name))) // a hidden property comes after the one that hides it
            message[property.Name] = WriteMember(property, property.GetValue(value));
        return message;
    }

    private static JsonNode? WriteMember(PropertyInfo property, object? value)
    {
        var make = value is null ? null : property.GetCustomAttribute<MessageConverterAttribute>()?.Converter.GetMethod("ToSurrogate");
        return make is null ? Write(value, property.PropertyType) : Write(make.Invoke(null, [value]), make.ReturnType);
    }

    /// <summary>The fields of a plain struct, and those of structs in it in their place.</summary>
    private static IEnumerable<JsonNode?> WriteStruct(object value)
    {
        foreach (var field in value.GetType().GetFields(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance))
        {
            var written = Write(field.GetValue(value), field.FieldType);
            if (written is not JsonArray inner)
            {
                yield return written;
                continue;
            }

            foreach (var one in inner.ToList())
            {
                inner.Remove(one);
                yield return one;
            }
        }
    }

    private static bool IsMessage(Type type) => type.GetCustomAttribute<MessageAttribute>() is not null;

    private static JsonValue Number(object value) => value switch
    {
        bool flag => JsonValue.Create(flag),
        float number => JsonValue.Create((double)number),
        double number => JsonValue.Create(number),
        _ => JsonValue.Create(Convert.ToInt64(value, CultureInfo.InvariantCulture)),
    };

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    // With all digits of its scale, and with the sign of a negative zero.
    private static string Write(decimal number)
    {
        var text = number.ToString(CultureInfo.InvariantCulture);
        return decimal.GetBits(number)[3] < 0 && text[0] != '-' ? "-" + text : text;
    }
}
