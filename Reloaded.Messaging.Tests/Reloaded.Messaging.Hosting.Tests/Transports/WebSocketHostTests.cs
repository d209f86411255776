using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Hosts on WebSocket endpoints, and the requests that they refuse.</summary>
public sealed class WebSocketHostTests
{
    private const string Key = "dGhlIHNhbXBsZSBub25jZQ==";

    private static readonly byte[] s_token = RandomNumberGenerator.GetBytes(32);
    private static readonly MessageHostOptions s_options = new() { Token = s_token };

    [Fact]
    public async Task Request_over_WebSocket_gets_its_reply()
    {
        await using var server = await ListenAsync();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: s_options).InTime();

        Assert.Equal(new Pong(8), await client.RequestAsync<Ping, Pong>(new Ping(7)).AsTask().InTime());
        Assert.Equal($"ws://127.0.0.1:{server.Endpoint.Port}/", server.Endpoint.ToString());
    }

    [Fact]
    public async Task Request_over_TLS_gets_its_reply()
    {
        using var certificates = new Certificates();
        await using var server = await ListenAsync(new WebSocketEndpointOptions { Path = "/game" }, certificates.Server);
        var endpoint = MessageEndpoint.WebSocket("127.0.0.1", server.Endpoint.Port, new WebSocketEndpointOptions { Path = "/game" }, certificates.Pinning);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: s_options).InTime();

        Assert.Equal(new Pong(8), await client.RequestAsync<Ping, Pong>(new Ping(7)).AsTask().InTime());
        Assert.Equal($"wss://127.0.0.1:{server.Endpoint.Port}/game", server.Endpoint.ToString());
    }

    [Fact]
    public async Task Listen_without_token_is_refused()
    {
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.WebSocket(0)));
        Assert.Contains("MessageHostOptions.Token", refusal.Message, StringComparison.Ordinal);

        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.WebSocket(0, new WebSocketEndpointOptions { RequireToken = false }));
        Assert.Single(hosts.Client.Peers);
    }

    [Fact]
    public async Task Listen_at_every_address_without_TLS_is_refused()
    {
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.WebSocket("0.0.0.0", 0), options: s_options));
        Assert.Contains("TlsOptions", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "127.0.0.1", true)]
    [InlineData("http://127.0.0.1:PORT", "127.0.0.1:PORT", true)]
    [InlineData("http://localhost:PORT", "localhost:PORT", true)]
    [InlineData("http://[::1]:PORT", "[::1]:PORT", true)]
    [InlineData("https://tools.example.org", "127.0.0.1:PORT", true)]
    [InlineData("HTTPS://Tools.Example.org", "127.0.0.1:PORT", true)]
    [InlineData("http://tools.example.org", "127.0.0.1:PORT", false)]
    [InlineData("https://tools.example.org.evil.example", "127.0.0.1:PORT", false)]
    [InlineData("http://127.0.0.1:1", "127.0.0.1:PORT", false)]
    [InlineData("http://localhost:PORT", "127.0.0.1:PORT", false)]
    [InlineData("http://evil.example:PORT", "evil.example:PORT", false)] // a name that its owner points to this machine
    [InlineData("null", "127.0.0.1:PORT", false)]
    [InlineData("http://127.0.0.1:PORT\r\nOrigin: https://tools.example.org", "127.0.0.1:PORT", false)]
    public async Task Origin_decides_whether_a_page_may_connect(string? origin, string host, bool isAllowed)
    {
        await using var server = await ListenAsync(new WebSocketEndpointOptions { AllowedOrigins = ["https://tools.example.org"] });
        var port = server.Endpoint.Port.ToString(CultureInfo.InvariantCulture);
        var lines = Upgrade($"Host: {host}" + (origin is null ? "" : $"\r\nOrigin: {origin}")).Replace("PORT", port, StringComparison.Ordinal);

        var status = await AskAsync(server, lines);

        Assert.StartsWith(isAllowed ? "HTTP/1.1 101 " : "HTTP/1.1 403 ", status, StringComparison.Ordinal);
        Assert.Equal(isAllowed, status.Contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", StringComparison.Ordinal)); // the example of RFC 6455
        if (!isAllowed)
            await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongOrigin) == 1);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "426")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + Key + "\r\nSec-WebSocket-Version: 8\r\n\r\n", "426")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n\r\n", "426")]
    [InlineData("GET /other HTTP/1.1\r\nHost: a\r\n\r\n", "404")]
    [InlineData("GET / HTTP/1.0\r\nHost: a\r\n\r\n", "400")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\n continued: b\r\n\r\n", "400")]
    [InlineData("GET / HTTP/1.1\r\nno colon\r\n\r\n", "400")]
    [InlineData("POST / HTTP/1.1\r\n", "400")]
    [InlineData("\x0E\x7F\x04", "400")] // a host's hello over TCP
    public async Task Other_request_gets_a_status_and_is_counted(string request, string status)
    {
        await using var server = await ListenAsync();

        Assert.StartsWith($"HTTP/1.1 {status} ", await AskAsync(server, request), StringComparison.Ordinal);

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAPeer) == 1);
        Assert.Empty(server.Peers);
    }

    [Fact]
    public async Task Request_head_above_the_limit_is_refused()
    {
        await using var server = await ListenAsync();

        var status = await AskAsync(server, "GET / HTTP/1.1\r\nCookie: " + new string('a', 8192));

        Assert.StartsWith("HTTP/1.1 400 ", status, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_in_single_bytes_is_accepted()
    {
        await using var server = await ListenAsync();
        using var socket = await ConnectAsync(server);
        foreach (var one in Encoding.ASCII.GetBytes(Upgrade("Host: a")))
            await socket.SendAsync(new[] { one });

        Assert.StartsWith("HTTP/1.1 101 ", await ReadHeadAsync(socket).InTime(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Silent_client_is_disconnected_after_the_handshake_timeout()
    {
        var options = new MessageHostOptions { Token = s_token, Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(100) } };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.WebSocket(0), options: options);
        using var socket = await ConnectAsync(server);

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.HandshakeTimeout) == 1);
    }

    [Fact]
    public async Task Server_that_is_no_WebSocket_server_is_named()
    {
        using var listener = new Socket(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.WebSocket(((IPEndPoint)listener.LocalEndPoint!).Port), options: s_options);
        using var socket = await listener.AcceptAsync();
        await ReadHeadAsync(socket).InTime();
        await socket.SendAsync("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"u8.ToArray());

        var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => connecting.InTime());

        Assert.Equal(TransportCloseReason.WrongProtocol, refusal.Reason);
    }

    private static Task<MessageServer> ListenAsync(WebSocketEndpointOptions? options = null, TlsOptions? tls = null) =>
        MessageHost.ListenAsync(MessageEndpoint.WebSocket("127.0.0.1", 0, options, tls), host => host.OnRequest(static (Ping ping) => new Pong(ping.Number + 1)), s_options);

    private static string Upgrade(string fields) =>
        $"GET / HTTP/1.1\r\n{fields}\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: {Key}\r\nSec-WebSocket-Version: 13\r\n\r\n";

    private static async Task<Socket> ConnectAsync(MessageServer server)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, server.Endpoint.Port).InTime();
        return socket;
    }

    private static async Task<string> AskAsync(MessageServer server, string request)
    {
        using var socket = await ConnectAsync(server);
        await socket.SendAsync(Encoding.Latin1.GetBytes(request));
        return await ReadHeadAsync(socket).InTime();
    }

    /// <summary>Reads the head of a response, and no byte more.</summary>
    private static async Task<string> ReadHeadAsync(Socket socket)
    {
        var text = new StringBuilder();
        var buffer = new byte[1];
        while (!text.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal) && await socket.ReceiveAsync(buffer) > 0)
            text.Append((char)buffer[0]);
        return text.ToString();
    }
}
