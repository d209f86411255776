using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The types that have a fixed size on the wire and for which all byte values are valid.</summary>
internal static class FixedTypes
{
    /// <returns>The size in bytes; 0 for all other types.</returns>
    public static int SizeOf(ITypeSymbol type, out string code)
    {
        if (type is INamedTypeSymbol { EnumUnderlyingType: { } underlying })
            return SizeOf(underlying, out code);

        (var size, code) = type.SpecialType switch
        {
            SpecialType.System_SByte => (1, "i1"),
            SpecialType.System_Byte => (1, "u1"),
            SpecialType.System_Int16 => (2, "i2"),
            SpecialType.System_UInt16 => (2, "u2"),
            SpecialType.System_Char => (2, "c2"),
            SpecialType.System_Int32 => (4, "i4"),
            SpecialType.System_UInt32 => (4, "u4"),
            SpecialType.System_Int64 => (8, "i8"),
            SpecialType.System_UInt64 => (8, "u8"),
            SpecialType.System_Single => (4, "f4"),
            SpecialType.System_Double => (8, "f8"),
            _ => type.ToDisplayString() switch
            {
                "System.Guid" => (16, "g"),
                "System.TimeSpan" => (8, "ts"),
                "System.Half" => (2, "f2"),
                _ => (0, ""),
            },
        };
        return size;
    }

    /// <summary>Returns the code of an enum with its members, such as <c>i4&lt;Red=0,Green=1&gt;</c>; <c>null</c> for all other types.</summary>
    public static string? LayoutOf(ITypeSymbol type)
    {
        if (type is not INamedTypeSymbol { EnumUnderlyingType: { } underlying })
            return null;
        SizeOf(underlying, out var code);
        var members = type.GetMembers().OfType<IFieldSymbol>().Where(static field => field.HasConstantValue);
        return $"{code}<{string.Join(",", members.Select(static member => $"{member.Name}={Convert.ToString(member.ConstantValue, CultureInfo.InvariantCulture)}"))}>";
    }
}
