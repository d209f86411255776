namespace Reloaded.Messaging;

/// <summary>The options of WebSocket endpoints. Immutable.</summary>
public sealed class WebSocketEndpointOptions
{
    /// <summary>The path of the endpoint in its URL (printable ASCII that begins with a slash; default: <c>/</c>). Both sides need the same path. A server refuses requests for other paths.</summary>
    /// <exception cref="ArgumentException">Thrown when the value is not such a path.</exception>
    public string Path { get; init => field = CheckPath(value); } = "/";

    /// <summary>The origins whose pages may connect to a server, such as <c>https://tools.example.org</c> (default: none).</summary>
    /// <remarks>
    /// A browser names the origin of a page in its request. A server also accepts pages of the same host and port, if that host is an IP address,
    /// <c>localhost</c>, or the host of the endpoint. A request without an origin is not a browser's; only the token authenticates it.
    /// </remarks>
    /// <exception cref="ArgumentException">Thrown when an item is not an origin: a scheme and a host, with a port unless it is the default port, and without a path.</exception>
    public IReadOnlyList<string> AllowedOrigins { get; init => field = CheckOrigins(value); } = [];

    /// <summary>Whether a server refuses to listen without a token. Constant: all programs of a machine can reach a port of that machine, and so can its browser. Only tests change it.</summary>
    internal bool RequireToken { get; init; } = true;

    /// <summary>Returns whether endpoints with other options have the same values.</summary>
    internal bool IsSameAs(WebSocketEndpointOptions other) => Path == other.Path && string.Join(' ', AllowedOrigins) == string.Join(' ', other.AllowedOrigins) && RequireToken == other.RequireToken;

    private static string CheckPath(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        var isValid = path.StartsWith('/');
        foreach (var character in path)
            isValid &= character is > ' ' and < '\x7F' and not ('?' or '#');
        return isValid ? path : throw new ArgumentException($"'{path}' is not a path. A path begins with a slash, and contains printable ASCII without spaces, '?' and '#'. Percent-encode other characters.", nameof(path));
    }

    private static string[] CheckOrigins(IReadOnlyList<string> origins)
    {
        ArgumentNullException.ThrowIfNull(origins);
        var copy = new string[origins.Count];
        for (var i = 0; i < copy.Length; i++)
        {
            copy[i] = Uri.TryCreate(origins[i], UriKind.Absolute, out var origin) && origin.Host.Length > 0 && string.Equals($"{origin.Scheme}://{origin.Authority}", origins[i], StringComparison.OrdinalIgnoreCase)
                ? origins[i]
                : throw new ArgumentException($"'{origins[i]}' is not an origin. Use the text that the browser sends: scheme, host and port, without a default port and without a slash at the end, such as https://tools.example.org.", nameof(origins));
        }

        return copy;
    }
}
