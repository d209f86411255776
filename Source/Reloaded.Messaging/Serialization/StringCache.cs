using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;

namespace Reloaded.Messaging;

/// <summary>The process's strings that come again and again in messages, such as the ids of mods: read a second time, they allocate nothing.</summary>
/// <remarks>
/// Any thread, without a lock. A string that is found is the one that was handed out before, while it is remembered. Bytes are compared, not only their hash.
/// <para>
/// Bounds: 1024 strings of at most 1024 bytes. With the copy of its bytes and the entry around it, each takes at most 3.2 KB, all of them 3.2 MB. Each Gen2
/// collection and <see cref="MessagePool.Trim"/> forget those that weren't hit since the one before, so those in use stay.
/// </para>
/// <para>Not for secrets: what is cached stays in memory.</para>
/// </remarks>
internal static class StringCache
{
    /// <summary>The longest string that is remembered, in bytes of UTF-8. Longer ones are decoded each time.</summary>
    internal const int MaxLength = 1024;

    private const int Sets = 256;

    private static readonly StringTable s_table = CreateTable();

    /// <summary>The most strings that are remembered.</summary>
    internal static int Capacity => s_table.Capacity;

    /// <summary>The strings that are remembered. Slow.</summary>
    internal static int Count => s_table.Count;

    /// <summary>The string that UTF-8 bytes stand for. 20 bytes that are remembered take 12 ns, decoding them 28 and 64 bytes of memory.</summary>
    /// <returns>False when the bytes aren't valid UTF-8. They are never remembered, and nothing is replaced.</returns>
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
