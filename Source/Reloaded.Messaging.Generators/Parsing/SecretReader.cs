using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds members marked as secret. Messages and structs inside a message are included, because their bytes are in the same buffer.</summary>
internal static class SecretReader
{
    public static bool HasSecret(INamedTypeSymbol type, Compilation compilation) =>
        CompilationCache.Of(compilation).Secrets.GetOrAdd(type, one => HasSecret(one, compilation, new HashSet<ISymbol>(SymbolEqualityComparer.Default)));

    /// <summary>Returns whether a value of a type is or contains a message with a secret.</summary>
    public static bool IsInside(ITypeSymbol type, Converters converters, Compilation compilation) => Inside(type, converters, compilation).Any(inner => HasSecret(inner, compilation));

    private static bool HasSecret(INamedTypeSymbol type, Compilation compilation, HashSet<ISymbol> seen)
    {
        if (!seen.Add(type))
            return false;
        if (CompilationCache.Of(compilation).Secrets.TryGetValue(type, out var known))
            return known;
        if (type.GetAttributes().Any(attribute => UnionReader.CaseOf(attribute, type) is { } one && HasSecret(one, compilation, seen)))
            return true;
        return Members(type, compilation)
            .Exists(member => MemberReader.FindAttribute(member, Names.Secret) is not null || Inside(member.Type, Converters.Of(Converters.AttributesOf(member), compilation), compilation).Any(inner => HasSecret(inner, compilation, seen)));
    }

    /// <summary>The members of a type that are sent. For a struct that is sent as its bytes, these are all fields.</summary>
    private static List<Member> Members(INamedTypeSymbol type, Compilation compilation) => Names.Has(type, Names.Message)
        ? MemberReader.Read(type, compilation)
        : [.. BlittableStruct.Fields(type).Select(static field => new Member(field.AssociatedSymbol ?? field, field.Type, false, false))];

    /// <summary>The messages, and the structs that are sent as their bytes, that a member's type is or contains.</summary>
    private static IEnumerable<INamedTypeSymbol> Inside(ITypeSymbol type, Converters converters, Compilation compilation) => type switch
    {
        _ when converters.Find(type) is { } converter => Inside(converter.Surrogate, converters.Without(converter), compilation),
        IArrayTypeSymbol array => Inside(array.ElementType, converters, compilation),
        INamedTypeSymbol { IsGenericType: true } endless when Names.Has(endless, Names.Message) && GenericMessages.FindObstacle(endless, compilation) is not null => [],
        INamedTypeSymbol named when Names.Has(named, Names.Message) || BlittableStruct.TryRead(named, compilation, out _) is not null || OpenStruct.Find(named, "", compilation) is not null => [named],
        INamedTypeSymbol generic => generic.TypeArguments.SelectMany(inner => Inside(inner, converters, compilation)),
        _ => [],
    };
}
