using System.Text;

namespace Reloaded.Messaging.Generators.Model;

/// <summary>32-bit FNV-1a over UTF-8. docs/specification/binary-format.md specifies it, because ids and shapes depend on it.</summary>
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
