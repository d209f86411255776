using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The id that a message's attribute gives or leaves to be derived.</summary>
internal static class MessageIds
{
    public const long Largest = uint.MaxValue;

    /// <summary>The id as given, out of range or not; null where there is none.</summary>
    public static long? Given(AttributeData attribute) => Names.Argument(attribute, 0) as long?;

    public static long Read(INamedTypeSymbol type, AttributeData attribute) => Given(attribute) ?? Fnv.DeriveId(Names.Full(type));
}
