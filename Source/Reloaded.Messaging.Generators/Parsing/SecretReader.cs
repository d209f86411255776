using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Looks for members marked as secret, in messages inside of a message too: their bytes are in the same buffer.</summary>
internal static class SecretReader
{
    public static bool HasSecret(INamedTypeSymbol type, Compilation compilation) =>
        HasSecret(type, compilation, new HashSet<ISymbol>(SymbolEqualityComparer.Default));

    private static bool HasSecret(INamedTypeSymbol type, Compilation compilation, HashSet<ISymbol> seen)
    {
        if (!seen.Add(type))
            return false;
        if (type.GetAttributes().Any(attribute => UnionReader.CaseOf(attribute) is { } one && HasSecret(one, compilation, seen)))
            return true;
        return MemberReader.Read(type, compilation)
            .Exists(member => MemberReader.FindAttribute(member, Names.Secret) is not null || Inside(member.Type).Any(inner => HasSecret(inner, compilation, seen)));
    }

    /// <summary>The messages that a member's type is or holds.</summary>
    private static IEnumerable<INamedTypeSymbol> Inside(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => Inside(array.ElementType),
        INamedTypeSymbol { IsGenericType: true } generic => generic.TypeArguments.SelectMany(Inside),
        INamedTypeSymbol named when Names.Has(named, Names.Message) => [named],
        _ => [],
    };
}
