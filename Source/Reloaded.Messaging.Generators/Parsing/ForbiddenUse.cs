using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Whether a message has something that is obsolete as an error: only code that is obsolete itself may use that.</summary>
internal static class ForbiddenUse
{
    public static bool IsIn(INamedTypeSymbol type, List<Member> members)
    {
        for (var outer = type; outer is not null; outer = outer.ContainingType)
        {
            if (IsForbidden(outer))
                return true;
        }

        return type.InstanceConstructors.Any(IsForbidden) || members.Exists(static member => IsForbidden(member.Symbol) || IsForbidden(member.Type));
    }

    private static bool IsForbidden(ISymbol symbol) =>
        Names.FindAttribute(symbol, "System.ObsoleteAttribute") is { } attribute && Names.Argument(attribute, 1) is true;
}
