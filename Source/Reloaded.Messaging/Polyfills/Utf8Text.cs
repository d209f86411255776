using System;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;

namespace Reloaded.Messaging;

/// <summary>Between strings and UTF-8.</summary>
internal static class Utf8Text
{
    /// <summary>Replaces nothing: what is not valid throws.</summary>
    public static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Writes a string to a destination with room for three bytes a character.</summary>
    /// <returns>The bytes written.</returns>
    /// <exception cref="EncoderFallbackException">The string holds half of a surrogate pair.</exception>
    public static int Encode(string value, Span<byte> destination) => Strict.GetBytes(value, destination);

    /// <returns>False if the bytes are not UTF-8.</returns>
    public static bool TryDecode(ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        value = Utf8.IsValid(utf8) ? Encoding.UTF8.GetString(utf8) : null;
        return value is not null;
    }
}
