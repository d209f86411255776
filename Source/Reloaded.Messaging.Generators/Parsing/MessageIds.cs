using System.Text;
using Microsoft.CodeAnalysis;

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

    public static long Read(INamedTypeSymbol type, AttributeData attribute) => Given(attribute) ?? Fnv.DeriveId(Names.Full(type));
}

/// <summary>32-bit FNV-1a over UTF-8. docs/binary-format.md specifies it, because ids and shapes depend on it.</summary>
internal static class Fnv
{
    public const uint Start = 2166136261;

    /// <summary>The lowest derived id: the lowest id that takes four bytes.</summary>
    public const uint FirstDerivedId = 1 << 21;

    private const uint Prime = 16777619;

    /// <summary>Continues from <paramref name="hash"/> with a text and a terminating zero byte.</summary>
    public static uint Add(uint hash, string text)
    {
        foreach (var part in Encoding.UTF8.GetBytes(text))
            hash = (hash ^ part) * Prime;
        return hash * Prime;
    }

    /// <summary>The derived id of a message without an explicit id (2097152–268435455).</summary>
    public static uint DeriveId(string fullName) => FirstDerivedId + (Add(Start, fullName) % ((1u << 28) - FirstDerivedId));
}
