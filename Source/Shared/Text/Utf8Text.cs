using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace Reloaded.Messaging;

/// <summary>Converts between strings and UTF-8. Invalid text is never replaced.</summary>
internal static class Utf8Text
{
    /// <summary>The strict encoding: invalid text throws.</summary>
    public static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Writes a string to a destination with room for three bytes per character.</summary>
    /// <param name="value">The string.</param>
    /// <param name="destination">The destination.</param>
    /// <param name="member">The name of the member with the string, for the exception.</param>
    /// <returns>The number of bytes written.</returns>
    /// <exception cref="EncoderFallbackException">Thrown when the string contains an unpaired surrogate.</exception>
    public static int Encode(string value, Span<byte> destination, string? member = null)
    {
        if (ShortAscii.TryNarrow(value, destination))
            return value.Length;
        return Ascii.FromUtf16(value, destination, out var written) == OperationStatus.Done ? written : EncodeStrictly(value, destination, member);
    }

    /// <summary>Counts the bytes of a string.</summary>
    /// <inheritdoc cref="Encode"/>
    public static int Count(string value, string? member) => EncodeStrictly(value, default, member);

    /// <returns><c>false</c> if the bytes are not UTF-8; otherwise, <c>true</c>.</returns>
    public static bool TryDecode(ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        // Most strings are ASCII, and their length is then known: the string is filled at once, before it is published. Other text
        // mostly shows in its first byte; otherwise, the string is discarded.
        if (utf8.IsEmpty || utf8[0] < 0x80)
        {
            value = new string('\0', utf8.Length);
            var characters = MemoryMarshal.CreateSpan(ref MemoryMarshal.GetReference(value.AsSpan()), value.Length);
            if (ShortAscii.TryWiden(utf8, characters) || Ascii.ToUtf16(utf8, characters, out _) == OperationStatus.Done)
                return true;
        }

        value = Utf8.IsValid(utf8) ? Encoding.UTF8.GetString(utf8) : null;
        return value is not null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int EncodeStrictly(string value, Span<byte> destination, string? member)
    {
        try
        {
            return destination.IsEmpty ? Strict.GetByteCount(value) : Strict.GetBytes(value, destination);
        }
        catch (EncoderFallbackException e) when (member is not null)
        {
            throw new EncoderFallbackException($"{member} has half of a surrogate pair at index {e.Index}, which UTF-8 cannot contain. Remove or replace the half before sending.", e);
        }
    }
}
