using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Recognizes HTTP by its first bytes. A web page can make a browser send HTTP requests to any port of this machine.</summary>
internal static class HttpRequest
{
    /// <summary>Returns whether a connection begins with the method of an HTTP request.</summary>
    /// <param name="start">The bytes that were received so far.</param>
    public static bool IsStart(ReadOnlySpan<byte> start) =>
        start.StartsWith("GET "u8) || start.StartsWith("POST "u8) || start.StartsWith("PUT "u8) || start.StartsWith("HEAD "u8) ||
        start.StartsWith("OPTIONS "u8) || start.StartsWith("DELETE "u8) || start.StartsWith("PATCH "u8) || start.StartsWith("TRACE "u8) ||
        start.StartsWith("CONNECT "u8) || start.StartsWith("PRI "u8); // PRI is the start of HTTP/2
}
