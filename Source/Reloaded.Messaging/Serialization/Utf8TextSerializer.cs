using System;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>Sends a string as UTF-8, without a terminator or a mark.</summary>
/// <remarks>Text that is not valid in its encoding is never replaced: a lone surrogate throws when sent, bytes that are not UTF-8 are refused when read.</remarks>
public sealed class Utf8TextSerializer : IMessageSerializer<string>
{
    /// <inheritdoc/>
    public string Name => "utf8";

    /// <inheritdoc/>
    /// <exception cref="EncoderFallbackException">The string holds half of a surrogate pair.</exception>
    public void Serialize(in string value, MessageBuffer buffer)
    {
        ArgumentNullException.ThrowIfNull(value);
        var size = Utf8Text.Strict.GetByteCount(value);
        buffer.Advance(Utf8Text.Strict.GetBytes(value, buffer.GetSpan(size)));
    }

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out string value) => Utf8Text.TryDecode(payload, out value);
}
