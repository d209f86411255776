using System.Text.Unicode;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>Serializes and deserializes the payload of a fault: a code as uvarint, then UTF-8 text to the end. For authors of hosts.</summary>
public static class Fault
{
    /// <summary>The text of the fault for a reader of items that a request does not have.</summary>
    internal const string WithoutItems = "The request was sent without items.";

    /// <summary>The maximum length of the text, in bytes.</summary>
    private const int LongestText = 1000;

    /// <summary>The maximum size of a fault without its text: its header and its code.</summary>
    private const int MaxOverhead = 32;

    /// <summary>Serializes a fault.</summary>
    /// <param name="code">The code (0–2147483647).</param>
    /// <param name="text">The text. It is truncated after 1000 bytes, or where the message would exceed <paramref name="maxMessageSize"/>, at a whole character.</param>
    /// <param name="maxMessageSize">The largest message that both sides accept, in bytes (128 or more).</param>
    /// <returns>The payload of a message of the kind <see cref="MessageKind.Fault"/>.</returns>
    public static byte[] Write(int code, string text, int maxMessageSize)
    {
        Span<byte> payload = stackalloc byte[UVarint.MaxSize + LongestText];
        var size = UVarint.Write(payload, (uint)code);
        var room = payload.Slice(size, Math.Min(LongestText, maxMessageSize - MaxOverhead));
        Utf8.FromUtf16(text, room, out _, out var written); // writes as many whole characters as fit
        return payload.Slice(0, size + written).ToArray();
    }

    /// <summary>Returns the text of a fault for a reply that was not sent. The text contains the sizes and the type. Other details of the exception are reported only by <see cref="MessageHost.HandlerFailed"/> of this side.</summary>
    internal static string DescribeReplyFailure(Type type, Exception failure) => failure is MessageTooLargeException tooLarge
        ? FormattableString.Invariant($"The reply {type} was not sent. It is at least {tooLarge.Size:N0} bytes; the limit is {tooLarge.Limit:N0}.")
        : $"The reply {type} was not sent, because it cannot be packed. The event HandlerFailed of the replying side reports the exception.";

    /// <summary>Returns why a message cannot be read, as a sentence or the end of one.</summary>
    internal static string DescribeUnreadable(string name, uint type, DispatchStatus status)
    {
        var cause = status switch
        {
            DispatchStatus.InvalidPayload => "a value in it is invalid for the contract of the receiver",
            DispatchStatus.TooLarge => "it exceeds the limit of the receiver",
            _ => "it is compressed, and both sides need compressors of the same format",
        };
        return $"{name} (type {type}) cannot be read: {cause}.";
    }

    /// <summary>Deserializes a fault. Control characters of the text, except tabs and line breaks, are replaced by U+FFFD.</summary>
    /// <param name="payload">The payload.</param>
    /// <returns>The fault, or <see langword="null"/> if the payload is invalid.</returns>
    public static RequestFaultException? TryRead(ReadOnlySpan<byte> payload)
    {
        if (UVarint.TryRead(payload, out var code, out var size) != HeaderStatus.Ok || code > int.MaxValue || !Utf8Text.TryDecode(payload.Slice(size), out var text))
            return null;
        return RequestFaultException.Received((int)code, text);
    }
}
