using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>The opening handshake of WebSocket (RFC 6455, section 4): an HTTP request and its response.</summary>
internal static class WebSocketUpgrade
{
    private const string Version = "13";

    private static readonly byte[] s_requestStart = "GET "u8.ToArray();
    private static readonly byte[] s_responseStart = "HTTP/1.1 "u8.ToArray();

    /// <summary>Requests the upgrade, and checks the response.</summary>
    /// <exception cref="TransportClosedException">Thrown when the server did not upgrade the connection. The exception contains its status line.</exception>
    public static async Task<WebSocket> AskAsync(TransportChannel channel, TransportAddress address, string path)
    {
        var key = Convert.ToBase64String(RandomNumberGenerator.GetBytes(16));
        await SendAsync(channel, $"GET {path} HTTP/1.1\r\nHost: {GetAuthority(address)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: {Version}\r\n\r\n").ConfigureAwait(false);
        var response = await HttpHead.ReceiveAsync(channel, s_responseStart).ConfigureAwait(false);
        if (response is null)
            throw new TransportClosedException(TransportCloseReason.WrongProtocol, $"{address} did not answer in HTTP. Check the port; a WebSocket endpoint connects to a WebSocket endpoint only.");
        if (!response.FirstLine.StartsWith("HTTP/1.1 101", StringComparison.Ordinal) || response["Sec-WebSocket-Accept"] != GetAccept(key))
            throw new TransportClosedException(TransportCloseReason.WrongProtocol, $"{address} did not accept the WebSocket connection: '{response.FirstLine}'. Check the port and WebSocketEndpointOptions.Path.");
        return Create(channel, response, isServer: false);
    }

    /// <summary>Receives a request, and accepts or refuses it. A refused client receives an HTTP status.</summary>
    /// <exception cref="TransportClosedException">Thrown when the request was refused. The exception contains the reason.</exception>
    public static async Task<WebSocket> AnswerAsync(TransportChannel channel, TransportAddress address, WebSocketEndpointOptions options)
    {
        var request = await HttpHead.ReceiveAsync(channel, s_requestStart).ConfigureAwait(false);
        if (Check(request, address, options) is var (status, reason, explanation))
        {
            await SendAsync(channel, $"HTTP/1.1 {status}\r\nConnection: close\r\nSec-WebSocket-Version: {Version}\r\nContent-Type: text/plain\r\nContent-Length: {explanation.Length}\r\n\r\n{explanation}").ConfigureAwait(false);
            await channel.DisposeAsync().ConfigureAwait(false); // the client receives the status before the end
            throw new TransportClosedException(reason, $"The request of {channel.RemoteName} was refused: {explanation}");
        }

        await SendAsync(channel, $"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {GetAccept(request["Sec-WebSocket-Key"])}\r\n\r\n").ConfigureAwait(false);
        return Create(channel, request, isServer: true);
    }

    private static (string Status, TransportCloseReason Reason, string Explanation)? Check([NotNull] HttpHead? request, TransportAddress address, WebSocketEndpointOptions options)
    {
        if (request is null || request.FirstLine.Split(' ') is not ["GET", var target, "HTTP/1.1"])
#pragma warning disable CS8777 // a null request is always refused
            return ("400 Bad Request", TransportCloseReason.WrongProtocol, $"This is not a WebSocket request of HTTP/1.1 with at most {HttpHead.MaxSize} bytes.");
#pragma warning restore CS8777
        if (request["Host"] is "" || request["Host"].Contains(',', StringComparison.Ordinal))
            return ("400 Bad Request", TransportCloseReason.WrongProtocol, "A request has one field Host.");
        if (GetPath(target) != options.Path)
            return ("404 Not Found", TransportCloseReason.WrongProtocol, "There is no WebSocket endpoint at this path.");
        if (!request.Contains("Upgrade", "websocket") || !request.Contains("Connection", "Upgrade") || request["Sec-WebSocket-Version"] != Version || !IsKey(request["Sec-WebSocket-Key"]))
            return ("426 Upgrade Required", TransportCloseReason.WrongProtocol, $"Only WebSocket connections of version {Version} are accepted here.");
        return IsAllowed(request["Origin"], request["Host"], address, options)
            ? null
            : ("403 Forbidden", TransportCloseReason.WrongOrigin, "Pages of this origin may not connect. The server's program allows origins by WebSocketEndpointOptions.AllowedOrigins.");
    }

    /// <summary>Returns the path of a target. A proxy may send the whole address (RFC 9112, 3.2.2).</summary>
    private static string GetPath(string target) => target.StartsWith('/') ? target.Split('?')[0] : Uri.TryCreate(target, UriKind.Absolute, out var address) ? address.AbsolutePath : "";

    /// <summary>Returns whether a page may connect. Any web site can make a browser connect to a port of this machine.</summary>
    private static bool IsAllowed(string origin, string host, TransportAddress address, WebSocketEndpointOptions options)
    {
        if (origin.Length == 0)
            return true; // not a browser
        foreach (var allowed in options.AllowedOrigins)
        {
            if (origin.Equals(allowed, StringComparison.OrdinalIgnoreCase))
                return true;
        }

        // A page of the same host and port. Another name could be that of a web site whose owner points it to this machine.
        return Uri.TryCreate(origin, UriKind.Absolute, out var page) && page.Authority.Equals(host, StringComparison.OrdinalIgnoreCase) &&
            (IPAddress.TryParse(page.DnsSafeHost, out _) || page.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase) || page.Host.Equals(address.Name, StringComparison.OrdinalIgnoreCase));
    }

    private static bool IsKey(string text)
    {
        Span<byte> key = stackalloc byte[18];
        return text.Length == 24 && Convert.TryFromBase64String(text, key, out var length) && length == 16;
    }

    private static string GetAuthority(TransportAddress address) => new UriBuilder(address.Transport.Scheme, address.Name, address.Port).Uri.Authority;

    [SuppressMessage("Security", "CA5350", Justification = "RFC 6455 requires SHA-1 here. The hash shows that the server knows the protocol, and protects no data.")]
    private static string GetAccept(string key) => Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));

    private static ValueTask SendAsync(TransportChannel channel, string text) => channel.SendAsync(Encoding.ASCII.GetBytes(text), default);

    private static WebSocket Create(TransportChannel channel, HttpHead head, bool isServer) =>
        WebSocket.CreateFromStream(new ChannelStream(channel, head.Rest), isServer, subProtocol: null, keepAliveInterval: Timeout.InfiniteTimeSpan); // the connection has its own keep-alive
}

/// <summary>The first line and the header fields of an HTTP/1.1 request or response.</summary>
internal sealed class HttpHead
{
    /// <summary>The maximum size, in bytes. Browsers send about 500 bytes, and the cookies of the host.</summary>
    public const int MaxSize = 8192;

    private readonly Dictionary<string, string> _fields = new(StringComparer.OrdinalIgnoreCase);

    private HttpHead(string firstLine, ReadOnlyMemory<byte> rest)
    {
        FirstLine = firstLine;
        Rest = rest;
    }

    /// <summary>The request line or the status line.</summary>
    public readonly string FirstLine;

    /// <summary>The bytes that were received after the head.</summary>
    public readonly ReadOnlyMemory<byte> Rest;

    /// <summary>The value of a field, or an empty text if the field is missing. A repeated field has its values separated by commas.</summary>
    public string this[string name] => _fields.TryGetValue(name, out var value) ? value : "";

    /// <summary>Receives a head. Stores at most <see cref="MaxSize"/> bytes.</summary>
    /// <param name="channel">The channel to receive from.</param>
    /// <param name="start">The bytes with which the head begins. Other bytes end the receive at once.</param>
    /// <returns>The head; or <see langword="null"/> if the bytes are not a head, or if the head is too large.</returns>
    /// <exception cref="TransportClosedException">Thrown when the channel ended before the head was complete.</exception>
    public static async Task<HttpHead?> ReceiveAsync(TransportChannel channel, ReadOnlyMemory<byte> start)
    {
        var bytes = new byte[MaxSize];
        for (var length = 0; length < MaxSize;)
        {
            var received = await channel.ReceiveAsync(bytes.AsMemory(length), default).ConfigureAwait(false);
            if (received == 0)
                throw new TransportClosedException($"{channel.RemoteName} closed the connection during the WebSocket handshake.");
            var searched = Math.Max(0, length - 3);
            length += received;
            var known = Math.Min(length, start.Length);
            if (!bytes.AsSpan(0, known).SequenceEqual(start.Span.Slice(0, known)))
                return null;
            var end = bytes.AsSpan(searched, length - searched).IndexOf("\r\n\r\n"u8);
            if (end >= 0)
                return Parse(Encoding.ASCII.GetString(bytes, 0, searched + end), bytes.AsMemory(searched + end + 4, length - searched - end - 4));
        }

        return null;
    }

    /// <summary>Returns whether a field is a list with an item, ignoring case.</summary>
    public bool Contains(string name, string item)
    {
        foreach (var one in this[name].Split(','))
        {
            if (one.Trim().Equals(item, StringComparison.OrdinalIgnoreCase))
                return true;
        }

        return false;
    }

    private static HttpHead? Parse(string text, ReadOnlyMemory<byte> rest)
    {
        var lines = text.Split("\r\n");
        foreach (var one in lines[0])
        {
            if (char.IsControl(one)) // HTTP forbids them, and a terminal that shows the line in an exception would obey them
                return null;
        }

        var head = new HttpHead(lines[0], rest);
        foreach (var line in lines.AsSpan(1))
        {
            var colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon <= 0 || line.AsSpan(0, colon).IndexOfAny(' ', '\t') >= 0) // a continued line begins with a space
                return null;
            var (name, value) = (line.Substring(0, colon), line.Substring(colon + 1).Trim());
            head._fields[name] = head._fields.TryGetValue(name, out var before) ? $"{before}, {value}" : value;
        }

        return head;
    }
}
