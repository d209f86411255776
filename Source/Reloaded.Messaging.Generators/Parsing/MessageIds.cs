using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines the id of a message: the explicit id of its attribute, or a derived id.</summary>
internal static class MessageIds
{
    public const long Largest = uint.MaxValue;

    /// <summary>The first id of the messages that the library itself sends.</summary>
    public const long FirstReserved = 0xFFFF0000;

    /// <summary>The explicit id, even if it is out of range; <c>null</c> if the attribute has no id.</summary>
    public static long? Given(AttributeData attribute) => Names.Argument(attribute, 0) as long?;

    /// <summary>The id of the message of a service's method or event.</summary>
    public static long Read(ISymbol member, string fullName) =>
        Names.FindAttribute(member, Names.MessageId) is { } attribute && Given(attribute) is { } given ? given : Fnv.DeriveId(fullName);

    public static long Read(INamedTypeSymbol type, AttributeData attribute) => type.IsGenericType ? GenericDeclarations.IdOf(type) : Given(attribute) ?? Fnv.DeriveId(Names.Full(type));
}
