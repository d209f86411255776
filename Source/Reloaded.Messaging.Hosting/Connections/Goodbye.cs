using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The payload of a goodbye: the reason in one byte, then UTF-8 text to the end. The payload may be empty.</summary>
internal sealed class Goodbye(DisconnectReason? reason, string? text)
{
    /// <summary>The reason; <c>null</c> if it is missing or unknown to this version.</summary>
    public readonly DisconnectReason? Reason = reason;

    /// <summary>The text; <c>null</c> if it is missing, too long or invalid.</summary>
    public readonly string? Text = text;

    /// <summary>The maximum length of the text, in bytes of UTF-8.</summary>
    public const int MaxText = 1024;

    /// <summary>Checks the text of a program.</summary>
    /// <exception cref="ArgumentException">Thrown when the text is too long.</exception>
    public static void ThrowIfTooLong(string? reason)
    {
        var size = Encoding.UTF8.GetByteCount(reason ?? "");
        if (size > MaxText)
            throw new ArgumentException($"The reason is {size} bytes; a goodbye accepts at most {MaxText}. Send longer text in a message before the disconnect.", nameof(reason));
    }

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
        DisconnectReason? reason = payload[0] is <= (byte)DisconnectReason.TooManyPeersFromAddress or (byte)DisconnectReason.Banned ? (DisconnectReason)payload[0] : null;
        var text = payload.Slice(1);
        return new Goodbye(reason, !text.IsEmpty && text.Length <= MaxText && Utf8Text.TryDecode(text, out var value) ? RemoteText.Clean(value) : null);
    }
}
