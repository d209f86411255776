using System;
using System.Text;
using System.Text.Unicode;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A fault's payload: a uvarint code, then UTF-8 text to the end.</summary>
internal static class Fault
{
    /// <summary>The longest text that is sent, in bytes: it is for people.</summary>
    private const int LongestText = 1000;

    /// <summary>What a fault takes besides its text: its header and its code.</summary>
    private const int MaxOverhead = 32;

    public static byte[] Write(FaultCode code, string text, int maxMessageSize)
    {
        Span<byte> payload = stackalloc byte[UVarint.MaxSize + LongestText];
        var size = UVarint.Write(payload, (uint)code);
        var room = payload.Slice(size, Math.Min(LongestText, maxMessageSize - MaxOverhead));
        Utf8.FromUtf16(text, room, out _, out var written); // as many whole characters as have room
        return payload.Slice(0, size + written).ToArray();
    }

    /// <summary>Says why a reply was not sent. Tells sizes and the type, and nothing else that the exception says: that is for this side's <see cref="MessageHost.HandlerFailed"/>.</summary>
    public static string DescribeReplyFailure(Type type, Exception failure) => failure is MessageTooLargeException tooLarge
        ? FormattableString.Invariant($"The reply {type} was not sent. It is at least {tooLarge.Size:N0} bytes; the limit is {tooLarge.Limit:N0}.")
        : $"The reply {type} was not sent, because it cannot be packed. The exception is in HandlerFailed of the side that replied.";

    /// <returns>Null for a payload that is none.</returns>
    public static RequestFaultException? TryRead(ReadOnlySpan<byte> payload)
    {
        if (UVarint.TryRead(payload, out var code, out var size) != HeaderStatus.Ok || code > int.MaxValue || !Utf8.IsValid(payload.Slice(size)))
            return null;
        return new RequestFaultException((FaultCode)code, Encoding.UTF8.GetString(payload.Slice(size))) { IsRemote = true };
    }
}
