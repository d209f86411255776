using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace Reloaded.Messaging;

/// <summary>Converts between strings and UTF-8. Text that is not valid is never replaced.</summary>
internal static class Utf8Text
{
    /// <summary>Replaces nothing: what is not valid throws.</summary>
    public static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Writes a string to a destination with room for three bytes a character.</summary>
    /// <returns>The bytes written.</returns>
    /// <exception cref="EncoderFallbackException">The string holds half of a surrogate pair.</exception>
    public static int Encode(string value, Span<byte> destination) =>
        Ascii.FromUtf16(value, destination, out var written) == OperationStatus.Done ? written : Strict.GetBytes(value, destination); // 5 ns, or 8

    /// <returns>False if the bytes are not UTF-8.</returns>
    public static bool TryDecode(ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        // Most strings are ASCII, and the length is then known: the string is filled at once, before anything else refers to it. Text that is
        // not ASCII mostly says so in its first byte. Where it does not, the string is discarded.
        if (utf8.IsEmpty || utf8[0] < 0x80)
        {
            value = new string('\0', utf8.Length);
            if (Ascii.ToUtf16(utf8, MemoryMarshal.CreateSpan(ref MemoryMarshal.GetReference(value.AsSpan()), value.Length), out _) == OperationStatus.Done)
                return true;
        }

        value = Utf8.IsValid(utf8) ? Encoding.UTF8.GetString(utf8) : null;
        return value is not null;
    }
}
