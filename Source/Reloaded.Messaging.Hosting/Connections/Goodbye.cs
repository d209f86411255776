using System;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The payload of a goodbye: the reason in one byte, then UTF-8 text to the end. The payload may be empty.</summary>
/// <param name="Reason">The reason; <c>null</c> if it is missing or unknown to this version.</param>
/// <param name="Text">The text; <c>null</c> if it is missing, too long or invalid.</param>
internal sealed record Goodbye(DisconnectReason? Reason, string? Text)
{
    /// <summary>The maximum length of the text, in bytes of UTF-8.</summary>
    public const int MaxText = 1024;

    /// <summary>Writes the reason, and as much of the text as the limit allows.</summary>
    public static byte[] Write(DisconnectReason reason, string? text)
    {
        if (string.IsNullOrEmpty(text))
            return [(byte)reason];
        var payload = new byte[1 + MaxText];
        payload[0] = (byte)reason;
        Encoding.UTF8.GetEncoder().Convert(text, payload.AsSpan(1), flush: true, out _, out var written, out _);
        return payload[..(1 + written)];
    }

    /// <summary>Reads a payload. Never fails: an invalid payload is a goodbye without a reason or text.</summary>
    public static Goodbye Read(ReadOnlySpan<byte> payload)
    {
        if (payload.IsEmpty)
            return new Goodbye(null, null);
        DisconnectReason? reason = payload[0] <= (byte)DisconnectReason.TooManyPeersFromAddress ? (DisconnectReason)payload[0] : null;
        var text = payload.Slice(1);
        return new Goodbye(reason, !text.IsEmpty && text.Length <= MaxText && Utf8Text.TryDecode(text, out var value) ? RemoteText.Clean(value) : null);
    }
}
