using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds what two keys of a type are compared by, and writes code that computes a hash code from all of it.</summary>
/// <remarks>The code of the framework loses half of a <c>long</c>, and of a struct all but one field.</remarks>
internal static class KeyHash
{
    private const string Combine = "global::System.HashCode.Combine";
    private const int MaxArguments = 8; // of Combine
    private const int MaxParts = 64;
    private const int MaxNesting = 16;

    /// <summary>Returns a lambda in C#; or <c>null</c> if only the type knows how its values are compared.</summary>
    public static string? Find(ITypeSymbol type, Compilation compilation)
    {
        var parts = new List<string>();
        if (!TryAdd(type, "key", compilation, parts))
            return null;
        while (parts.Count > MaxArguments)
        {
            parts.Insert(0, $"{Combine}({string.Join(", ", parts.Take(MaxArguments))})");
            parts.RemoveRange(1, MaxArguments);
        }

        return $"key => {Combine}({string.Join(", ", parts)})";
    }

    private static bool TryAdd(ITypeSymbol type, string value, Compilation compilation, List<string> parts, int nesting = 0)
    {
        // The compiler reports a struct that contains itself. The generator can still see such a struct during editing.
        if (nesting > MaxNesting || parts.Count >= MaxParts)
            return false;
        if (type is not INamedTypeSymbol named || type.IsReferenceType)
        {
            parts.Add(value);
            return type.SpecialType == SpecialType.System_String;
        }

        if (type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T)
        {
            parts.Add($"{value}.HasValue");
            return TryAdd(named.TypeArguments[0], $"{value}.GetValueOrDefault()", compilation, parts, nesting + 1);
        }

        if (named.IsTupleType)
            return named.TupleElements.Select(static (item, i) => (item.Type, $"Item{i + 1}")).All(item => TryAdd(item.Type, $"{value}.{item.Item2}", compilation, parts, nesting + 1));
        if (PartOf(named, value) is { } part)
        {
            parts.Add(part);
            return true;
        }

        return named.SpecialType == SpecialType.None && !ComparesItself(named) && BlittableStruct.Fields(named).All(field => TryAddField(field, value, compilation, parts, nesting + 1));
    }

    private static bool TryAddField(IFieldSymbol field, string value, Compilation compilation, List<string> parts, int nesting)
    {
        var member = field.AssociatedSymbol ?? field;
        var isReadable = member is not IPropertySymbol property || (property.GetMethod is { } getter && compilation.IsSymbolAccessibleWithin(getter, compilation.Assembly));
        return isReadable && compilation.IsSymbolAccessibleWithin(member, compilation.Assembly) && !ForbiddenUse.IsMemberForbidden(member) && TryAdd(field.Type, $"{value}.@{member.Name}", compilation, parts, nesting);
    }

    /// <summary>Whether a struct has an <c>Equals</c> that the compiler did not write.</summary>
    private static bool ComparesItself(INamedTypeSymbol type) => type.GetMembers("Equals").Any(static member => !member.IsImplicitlyDeclared) ||
        (!type.IsRecord && type.AllInterfaces.Any(static one => one.OriginalDefinition.ToDisplayString() == "System.IEquatable<T>"));

    /// <summary>Returns a part whose hash code is different for most different values of a type; <c>null</c> for a type that consists of fields.</summary>
    private static string? PartOf(INamedTypeSymbol type, string value) => (type.EnumUnderlyingType ?? type).SpecialType switch
    {
        SpecialType.System_Int64 or SpecialType.System_UInt64 => HashOf(value),
        SpecialType.System_IntPtr => HashOf($"(long){value}"),
        SpecialType.System_UIntPtr => HashOf($"(ulong){value}"),
        SpecialType.System_Double => HashOf($"(double.IsNaN({value}) ? double.NaN : {value} + 0.0)"), // -0.0 is equal to 0.0
        SpecialType.System_DateTime => HashOf($"{value}.Ticks"),
        SpecialType.System_Boolean or SpecialType.System_Char or SpecialType.System_Single => value,
        SpecialType.System_SByte or SpecialType.System_Byte or SpecialType.System_Int16 or SpecialType.System_UInt16 or SpecialType.System_Int32 or SpecialType.System_UInt32 => value,
        _ => type.ToDisplayString() switch
        {
            "System.Guid" or "System.TimeSpan" or "System.Int128" or "System.UInt128" => HashOf(value),
            "System.DateTimeOffset" => HashOf($"{value}.UtcTicks"),
            "System.TimeOnly" => HashOf($"{value}.Ticks"),
            "System.DateOnly" or "System.Half" => value,
            _ => null,
        },
    };

    private static string HashOf(string value) => $"KeyChecks.HashOf({value})";
}
