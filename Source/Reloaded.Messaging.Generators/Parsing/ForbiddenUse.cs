using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Whether a message has something that is obsolete as an error: only code that is obsolete itself may use that.</summary>
internal static class ForbiddenUse
{
    public static bool IsIn(INamedTypeSymbol type, List<Member> members) =>
        IsTypeForbidden(type) || type.InstanceConstructors.Any(IsForbidden) || members.Exists(static member => IsMemberForbidden(member.Symbol) || IsTypeForbidden(member.Type));

    /// <summary>Of an override, the compiler looks at what it overrides, which may have an accessor more too.</summary>
    private static bool IsMemberForbidden(ISymbol member)
    {
        for (var property = member as IPropertySymbol; property is not null; property = property.OverriddenProperty)
        {
            if (IsForbidden(property) || IsForbidden(property.GetMethod) || IsForbidden(property.SetMethod))
                return true;
        }

        return IsForbidden(member);
    }

    /// <summary>A type's name has those of its items, its arguments and the types around it.</summary>
    private static bool IsTypeForbidden(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => IsTypeForbidden(array.ElementType),
        INamedTypeSymbol named => IsForbidden(named) || named.TypeArguments.Any(IsTypeForbidden) || (named.ContainingType is { } outer && IsTypeForbidden(outer)),
        _ => false,
    };

    private static bool IsForbidden(ISymbol? symbol) =>
        symbol is not null && Names.FindAttribute(symbol, "System.ObsoleteAttribute") is { } attribute && Names.Argument(attribute, 1) is true;
}
