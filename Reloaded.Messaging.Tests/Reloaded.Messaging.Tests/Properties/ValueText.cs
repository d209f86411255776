using System.Collections;
using System.Drawing;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Writes everything that two values can differ in: the bits of numbers, the kinds of times, the items of collections in their order, and those of sets and dictionaries in any order.</summary>
internal static class ValueText
{
    private static readonly Dictionary<Type, FieldInfo[]> s_fields = [];

    public static string Of(object? value)
    {
        var text = new StringBuilder();
        Add(value, text);
        return text.ToString();
    }

    private static void Add(object? value, StringBuilder text)
    {
        switch (value)
        {
            case null:
                text.Append("null");
                break;
            case string one:
                text.Append('"').Append(one).Append('"');
                break;
            case double number:
                text.Append(BitConverter.DoubleToInt64Bits(number)).Append('f');
                break;
            case float number:
                text.Append(BitConverter.SingleToInt32Bits(number)).Append('f');
                break;
            case decimal number:
                text.AppendJoin('.', decimal.GetBits(number));
                break;
            case DateTime time:
                text.Append(time.Ticks).Append(time.Kind);
                break;
            case DateTimeOffset time:
                text.Append(time.Ticks).Append('+').Append(time.Offset.Ticks);
                break;
            case TimeOnly time:
                text.Append(time.Ticks);
                break;
            case Uri uri:
                text.Append(uri.IsAbsoluteUri ? $"absolute {uri.AbsoluteUri}" : $"relative {uri.OriginalString}");
                break;
            case Color color:
                text.Append(color.ToArgb()); // a received color has no name
                break;
            case ITuple tuple:
                AddItems(Enumerable.Range(0, tuple.Length).Select(i => tuple[i]), text, '(', ')');
                break;
            case IEnumerable items:
                AddCollection(items, text);
                break;
            case IFormattable or char or bool or Version or Index or Range or StringBuilder or System.Net.IPAddress or System.Net.EndPoint:
                text.AppendFormat(CultureInfo.InvariantCulture, "{0}", value).Append(',');
                break;
            default:
                AddObject(value, text);
                break;
        }
    }

    private static void AddCollection(IEnumerable items, StringBuilder text)
    {
        var type = items.GetType();
        if (items is Array { Rank: > 1 } table)
            text.AppendJoin('x', Enumerable.Range(0, table.Rank).Select(table.GetLength));

        // Immutable arrays and array segments that were not set cannot be enumerated.
        var isUnset = type.IsValueType && ((type.GetProperty("IsDefault") is { } unset && unset.GetValue(items) is true) || (type.GetProperty("Array") is { } array && array.GetValue(items) is null));
        var all = isUnset ? [] : items.Cast<object?>();
        if (!type.GetInterfaces().Any(static one => one.IsGenericType && one.GetGenericTypeDefinition() is var definition && (definition == typeof(ISet<>) || definition == typeof(IReadOnlySet<>) || definition == typeof(IReadOnlyDictionary<,>) || definition == typeof(IDictionary<,>))))
        {
            AddItems(all, text, '[', ']');
            return;
        }

        text.Append('{').AppendJoin(';', all.Select(Of).Order(StringComparer.Ordinal)).Append('}');
    }

    private static void AddItems(IEnumerable<object?> items, StringBuilder text, char start, char end)
    {
        text.Append(start);
        foreach (var item in items)
        {
            Add(item, text);
            text.Append(';');
        }

        text.Append(end);
    }

    private static void AddObject(object value, StringBuilder text)
    {
        var type = value.GetType();
        if (type.Namespace == "System" && type.Name.EndsWith("Memory`1", StringComparison.Ordinal))
        {
            Add(type.GetMethod("ToArray")!.Invoke(value, null), text);
        }
        else if (type.Name == "PriorityQueue`2")
        {
            text.Append('{').AppendJoin(';', ((IEnumerable)type.GetProperty("UnorderedItems")!.GetValue(value)!).Cast<object?>().Select(Of).Order(StringComparer.Ordinal)).Append('}');
        }
        else
        {
            text.Append(type.Name);
            AddItems(FieldsOf(type).Select(field => field.GetValue(value)), text, '<', '>');
        }
    }

    private static FieldInfo[] FieldsOf(Type type)
    {
        lock (s_fields)
        {
            if (!s_fields.TryGetValue(type, out var fields))
            {
                var all = new List<FieldInfo>();
                for (var part = type; part is not null; part = part.BaseType)
                    all.AddRange(part.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly));
                s_fields.Add(type, fields = [.. all]);
            }

            return fields;
        }
    }
}
