using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;

namespace Reloaded.Messaging;

/// <summary>The process-wide cache of repeated strings, such as mod ids: a cached string is read without an allocation.</summary>
/// <remarks>
/// Thread-safe, without a lock. A cached string is the same object each time. Bytes are compared, not only their hash.
/// <para>
/// Limits: 1,024 strings of at most 1,024 bytes. With the copy of its bytes and the entry, each takes at most 3.2 KB, all of them 3.2 MB. Each Gen2
/// collection and <see cref="MessagePool.Trim"/> remove the strings that were not requested since the previous one.
/// </para>
/// <para>Not for secrets: cached strings stay in memory.</para>
/// </remarks>
internal static class StringCache
{
    /// <summary>The maximum size of a cached string, in bytes of UTF-8. Longer strings are decoded each time.</summary>
    internal const int MaxLength = 1024;

    private const int Sets = 256;

    private static readonly StringTable s_table = CreateTable();

    /// <summary>The maximum number of cached strings.</summary>
    internal static int Capacity => s_table.Capacity;

    /// <summary>The number of cached strings. Slow.</summary>
    internal static int Count => s_table.Count;

    /// <summary>Returns the string of UTF-8 bytes, from the cache if possible.</summary>
    /// <returns><c>false</c> if the bytes are not valid UTF-8; otherwise, <c>true</c>. Invalid bytes do not change the cache.</returns>
    public static bool TryGetOrAdd(ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        if (utf8.IsEmpty)
        {
            value = "";
            return true;
        }

        if (utf8.Length > MaxLength)
            return Utf8Text.TryDecode(utf8, out value);

        var hash = SeededHash.Of(utf8);
        return s_table.TryGet(hash, utf8, out value) || TryAdd(hash, utf8, out value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool TryAdd(ulong hash, ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        if (!Utf8Text.TryDecode(utf8, out value))
            return false;
        s_table.Add(hash, utf8, value);
        return true;
    }

    private static StringTable CreateTable()
    {
        var table = new StringTable(Sets);
        MessagePool.Register(table);
        return table;
    }
}
