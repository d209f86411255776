using System.Text;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>FNV-1a of 32 bits over UTF-8: fixed by docs/binary-format.md, since ids and shapes are made of it.</summary>
internal static class Fnv
{
    public const uint Start = 2166136261;

    /// <summary>The lowest id that is derived: one that takes four bytes.</summary>
    public const uint FirstDerivedId = 1 << 21;

    private const uint Prime = 16777619;

    /// <summary>Goes on from <paramref name="hash"/> with a text and a zero byte behind it.</summary>
    public static uint Add(uint hash, string text)
    {
        foreach (var part in Encoding.UTF8.GetBytes(text))
            hash = (hash ^ part) * Prime;
        return hash * Prime;
    }

    /// <summary>The id of a message that was given none: 2097152 to 268435455.</summary>
    public static uint DeriveId(string fullName) => FirstDerivedId + (Add(Start, fullName) % ((1u << 28) - FirstDerivedId));
}
