using System.Collections;
using System.Globalization;
using System.Linq;
using System.Reflection;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Writes a value with all that it consists of, so that equal texts are equal values.</summary>
public static class ValuePrinter
{
    private const int MaxDepth = 2000;

    public static string Print(object? value) => Print(value, 0);

    private static string Print(object? value, int depth) => value switch
    {
        null => "null",
        _ when depth > MaxDepth => "…",
        string text => $"\"{text}\"",
        double number => BitConverter.DoubleToInt64Bits(number).ToString("x", CultureInfo.InvariantCulture),
        float number => BitConverter.SingleToInt32Bits(number).ToString("x", CultureInfo.InvariantCulture),
        DateTime time => $"{time.Ticks} {time.Kind}",
        IFormattable formattable when value.GetType().Namespace is "System" or "System.Numerics" => formattable.ToString(null, CultureInfo.InvariantCulture),
        Enum or Type or Delegate => value.ToString()!,
        DictionaryEntry entry => $"({Print(entry.Key, depth + 1)}, {Print(entry.Value, depth + 1)})",
        IEnumerable items when value.GetType().Namespace?.StartsWith("System", StringComparison.Ordinal) == true || value is Array => Items(items, IsUnordered(value.GetType()), depth),
        _ when value.GetType() is { IsGenericType: true } type && type.Name is "Memory`1" or "ReadOnlyMemory`1" => Print(value.GetType().GetMethod("ToArray")!.Invoke(value, null), depth),
        _ when value.GetType().Name == "PriorityQueue`2" => Items((IEnumerable)value.GetType().GetProperty("UnorderedItems")!.GetValue(value)!, true, depth),
        _ when value.GetType().Namespace?.StartsWith("System", StringComparison.Ordinal) == true && !value.GetType().IsGenericType => value.ToString()!,
        _ => $"{value.GetType()} {{ {string.Join(", ", Fields(value).Select(field => $"{field.Name}={Print(field.GetValue(value), depth + 1)}"))} }}",
    };

    private static string Items(IEnumerable items, bool isUnordered, int depth)
    {
        var texts = items.Cast<object?>().Select(item => Print(item, depth + 1)).ToList();
        if (isUnordered)
            texts.Sort(StringComparer.Ordinal);
        return $"[{string.Join(", ", texts)}]";
    }

    private static bool IsUnordered(Type type) => type.GetInterfaces().Any(static one => one.IsGenericType && (one.GetGenericTypeDefinition() == typeof(IReadOnlySet<>) || one.GetGenericTypeDefinition() == typeof(ISet<>) || one.GetGenericTypeDefinition() == typeof(IReadOnlyDictionary<,>)));

    private static IEnumerable<FieldInfo> Fields(object value)
    {
        for (var type = value.GetType(); type is not null; type = type.BaseType)
        {
            foreach (var field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                yield return field;
        }
    }
}
