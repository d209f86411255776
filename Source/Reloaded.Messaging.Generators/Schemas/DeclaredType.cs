using System.Linq;
using Reloaded.Messaging.Generators.Emitting;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>Writes types with the names that a program needs for definitions of its own. docs/specification/schema.md has the grammar.</summary>
internal static class DeclaredType
{
    public static string Of(WireType type)
    {
        var text = type.Kind switch
        {
            WireKind.Nullable => Of(type.Element!),
            WireKind.Tuple => $"({string.Join(", ", type.Items!.Zip(type.ItemNames!, static (item, name) => name.Length == 0 ? Of(item) : $"{name} {Of(item)}"))})",
            WireKind.Dictionary => $"dictionary<{Of(type.Key!)}, {Of(type.Element!)}>",
            WireKind.Message => GenericNames.InSchema(type.Name),
            WireKind.Text => type.Name == "global::System.Uri" ? "uri" : "version",
            WireKind.Wrapped when type.Element!.Kind == WireKind.Array && type.Wrapper!.Converter is null => $"{type.Wrapper!.ListName}<{Of(type.Element.Element!)}>",
            WireKind.Wrapped when type.IsReference => Of(type.Element! with { MayBeNull = false }),
            WireKind.Wrapped => Of(type.Element!),
            WireKind.Fixed when type.Notes is not null => GenericNames.InSchema(type.Name),
            WireKind.Array => $"array<{Of(type.Element!)}>",
            WireKind.List => $"list<{Of(type.Element!)}>",
            WireKind.HashSet => $"set<{Of(type.Element!)}>",
            _ => ScalarName(type.Code),
        };
        return type.Kind == WireKind.Nullable || type is { IsReference: true, MayBeNull: true } and not { Kind: WireKind.Wrapped, Element.Kind: WireKind.Nullable } ? text + "?" : text;
    }

    /// <summary>The enums and plain structs in a type, with their names.</summary>
    public static IEnumerable<WireType> NamedTypesIn(WireType type)
    {
        if (type.Notes is not null)
            yield return type;
        foreach (var part in type.Items?.AsEnumerable() ?? new[] { type.Key!, type.Element! }.Where(static one => one is not null))
        {
            foreach (var one in NamedTypesIn(part))
                yield return one;
        }
    }

    private static string ScalarName(string code) => TypeText.SimpleName(code) ?? code switch
    {
        "dd" => "date",
        "g" => "guid",
        "t" => "datetime",
        "to" => "datetimeoffset",
        "ts" => "timespan",
        "tt" => "time",
        _ => "string",
    };
}
