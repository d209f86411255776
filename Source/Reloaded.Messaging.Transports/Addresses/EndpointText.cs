using System.Globalization;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>Reads an endpoint from text, such as <c>tcp://127.0.0.1:5000</c> or <c>local:my-mod</c>.</summary>
internal static class EndpointText
{
    private const string Forms = "Use tcp://HOST:PORT, udp://HOST:PORT, ws://HOST:PORT/PATH, wss://HOST:PORT/PATH, unix:PATH, pipe:NAME, local:NAME, shm:NAME, process:ID/NAME or in-process:NAME.";

    /// <param name="text">The text.</param>
    /// <param name="tls">The TLS options, or <see langword="null"/>.</param>
    /// <param name="error">The reason why the text is no endpoint.</param>
    /// <returns>The endpoint, or <see langword="null"/> if the text is no endpoint.</returns>
    public static MessageEndpoint? Read(string text, TlsOptions? tls, out string error)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        var scheme = colon < 0 ? "" : text[..colon].ToLowerInvariant();
        var rest = text[(colon + 1)..];
        if (rest.StartsWith("//", StringComparison.Ordinal))
            rest = rest[2..];
        error = "";
        if (tls is not null && scheme is not ("tcp" or "wss" or "process"))
        {
            error = $"'{text}' has TLS options, which only tcp, wss and process endpoints use. Remove the TLS options, or use one of these endpoints.";
            return null;
        }

        try
        {
            return scheme switch
            {
                "tcp" or "udp" => ReadHost(text, rest, out var host, out var port, out error)
                    ? scheme == "tcp" ? MessageEndpoint.Tcp(host, port, tls) : MessageEndpoint.Udp(host, port)
                    : null,
                "ws" => ReadWebSocket(text, rest, null, out error),
                "wss" => ReadWebSocket(text, rest, tls ?? new TlsOptions(), out error),
                "unix" => MessageEndpoint.Unix(rest),
                "pipe" => Path.IsPathRooted(rest) && !OperatingSystem.IsWindows()
                    ? MessageEndpoint.Over(NamedPipeTransport.Default, UnixSocketTransport.GetFullPath(rest))
                    : MessageEndpoint.Pipe(rest),
                "local" => MessageEndpoint.Local(rest),
                "shm" => MessageEndpoint.SharedMemory(rest),
                "process" => ReadProcess(text, rest, tls, out error),
                "in-process" => MessageEndpoint.InProcess(rest),
                _ => Fail($"'{text}' is not an endpoint: {(scheme.Length == 0 ? "it has no scheme" : $"the scheme '{scheme}' is unknown")}. {Forms}", out error),
            };
        }
        catch (Exception e) when (e is ArgumentException or PathTooLongException)
        {
            return Fail($"'{text}' is not an endpoint: {e.Message}", out error);
        }
    }

    private static MessageEndpoint? ReadWebSocket(string text, string rest, TlsOptions? tls, out string error)
    {
        var slash = rest.IndexOf('/', StringComparison.Ordinal);
        var path = slash < 0 ? "/" : rest[slash..];
        if (!ReadHost(text, slash < 0 ? rest : rest[..slash], out var host, out var port, out error))
            return null;
        return MessageEndpoint.WebSocket(host, port, path == "/" ? null : new WebSocketEndpointOptions { Path = path }, tls);
    }

    private static MessageEndpoint? ReadProcess(string text, string rest, TlsOptions? tls, out string error)
    {
        error = "";
        var slash = rest.IndexOf('/', StringComparison.Ordinal);
        if (slash < 0 || !int.TryParse(rest.AsSpan(0, slash), NumberStyles.None, CultureInfo.InvariantCulture, out var id) || id == 0)
            return Fail($"'{text}' is not an endpoint: a process id (1–2147483647), a slash and the name of a server must follow 'process:'. Use process:1234/my-mod.", out error);
        return MessageEndpoint.OfProcess(id, rest[(slash + 1)..], tls: tls);
    }

    /// <summary>Reads <c>HOST:PORT</c>. An IPv6 address is in brackets.</summary>
    private static bool ReadHost(string text, string rest, out string host, out int port, out string error)
    {
        error = "";
        var colon = rest.LastIndexOf(':');
        host = colon < 0 ? rest : rest[..colon];
        port = 0;
        var isBracketed = host.StartsWith('[') && host.EndsWith(']');
        if (isBracketed)
            host = host[1..^1];
        if (host.Length == 0 || host.Contains('/', StringComparison.Ordinal) || isBracketed != host.Contains(':', StringComparison.Ordinal))
            return Fail($"'{text}' is not an endpoint: '{rest}' has no valid host. Use HOST:PORT, and brackets around an IPv6 address, such as [::1]:5000.", out error) is not null;
        if (colon < 0 || !int.TryParse(rest.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port) || port > 65535)
            return Fail($"'{text}' is not an endpoint: '{rest[(colon + 1)..]}' is not a port (0–65535). Append a colon and the port, such as {host}:5000.", out error) is not null;
        return true;
    }

    private static MessageEndpoint? Fail(string message, out string error)
    {
        error = message;
        return null;
    }
}
