using System;
using System.Text;
using System.Text.Unicode;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.Requests;

/// <summary>A fault's payload: a uvarint code, then UTF-8 text to the end.</summary>
internal static class Fault
{
    /// <summary>The longest text that is sent, in characters: it is for people.</summary>
    private const int LongestText = 1000;

    public static byte[] Write(FaultCode code, string text)
    {
        Span<byte> prefix = stackalloc byte[UVarint.MaxSize];
        var size = UVarint.Write(prefix, (uint)code);
        return [.. prefix.Slice(0, size), .. Encoding.UTF8.GetBytes(text.Length > LongestText ? text[..LongestText] : text)];
    }

    /// <returns>Null for a payload that is none.</returns>
    public static RequestFaultException? TryRead(ReadOnlySpan<byte> payload)
    {
        if (UVarint.TryRead(payload, out var code, out var size) != HeaderStatus.Ok || code > int.MaxValue || !Utf8.IsValid(payload.Slice(size)))
            return null;
        return new RequestFaultException((FaultCode)code, Encoding.UTF8.GetString(payload.Slice(size)));
    }
}
