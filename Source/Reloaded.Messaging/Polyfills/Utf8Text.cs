using System;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;

namespace Reloaded.Messaging.Serialization;

/// <summary>Makes strings of UTF-8 from outside.</summary>
internal static class Utf8Text
{
    /// <returns>False if the bytes are not UTF-8.</returns>
    public static bool TryDecode(ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        value = Utf8.IsValid(utf8) ? Encoding.UTF8.GetString(utf8) : null;
        return value is not null;
    }
}
