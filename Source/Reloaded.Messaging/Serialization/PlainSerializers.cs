using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>Sends a string as UTF-8, without a terminator or a byte order mark.</summary>
/// <remarks>Invalid text is never replaced: an unpaired surrogate throws when it is sent, and bytes that are not UTF-8 are refused.</remarks>
public sealed class Utf8TextSerializer : IMessageSerializer<string>
{
    /// <inheritdoc/>
    public string Name => "utf8";

    /// <inheritdoc/>
    /// <exception cref="EncoderFallbackException">Thrown when the string contains an unpaired surrogate.</exception>
    public void Serialize(in string value, MessageBuffer buffer)
    {
        ArgumentNullException.ThrowIfNull(value);
        var size = Utf8Text.Strict.GetByteCount(value);
        buffer.Advance(Utf8Text.Strict.GetBytes(value, buffer.GetSpan(size)));
    }

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out string value) => Utf8Text.TryDecode(payload, out value);
}
