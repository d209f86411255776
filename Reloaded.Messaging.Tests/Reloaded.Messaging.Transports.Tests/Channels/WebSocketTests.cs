using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>WebSocket channels with the clients and servers of the framework.</summary>
public sealed class WebSocketTests
{
    private static readonly WebSocketEndpointOptions s_options = new() { RequireToken = false };

    [Fact]
    public async Task Other_path_is_refused()
    {
        await using var listener = await MessageEndpoint.WebSocket(0, s_options).ListenAsync(new TransportContext());
        var accepting = listener.AcceptAsync(default).AsTask();
        var endpoint = MessageEndpoint.WebSocket(listener.Endpoint.Port, new WebSocketEndpointOptions { Path = "/other" });

        var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => endpoint.ConnectAsync(new TransportContext()).AsTask().InTime());

        Assert.Contains("404 Not Found", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(TransportCloseReason.WrongProtocol, refusal.Reason);
        await using var refused = await accepting.InTime();
        Assert.Equal(TransportCloseReason.WrongProtocol, (await Assert.ThrowsAsync<TransportClosedException>(() => refused!.ReceiveAsync(new byte[1], default).AsTask().InTime())).Reason);
    }

    [Fact]
    public async Task Status_line_with_control_characters_is_not_shown()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var connecting = MessageEndpoint.WebSocket(((IPEndPoint)listener.LocalEndpoint).Port).ConnectAsync(new TransportContext()).AsTask();
        using var server = await listener.AcceptTcpClientAsync().InTime();

        await server.GetStream().WriteAsync("HTTP/1.1 404 \u001b[2JGone\r\n\r\n"u8.ToArray()).AsTask().InTime();

        var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => connecting.InTime());
        Assert.Equal(TransportCloseReason.WrongProtocol, refusal.Reason);
        Assert.DoesNotContain(refusal.Message, char.IsControl);
    }

    [Fact]
    public async Task Client_of_the_framework_exchanges_bytes_in_messages_and_fragments_of_any_size()
    {
        await using var listener = await MessageEndpoint.WebSocket(0, s_options).ListenAsync(new TransportContext());
        var accepting = listener.AcceptAsync(default).AsTask();
        using var client = new ClientWebSocket();
        var connecting = client.ConnectAsync(new Uri(listener.Endpoint.ToString()), default);
        await using var server = await accepting.InTime();
        await connecting.InTime();
        var up = Traffic.Noise(200_000, seed: 1);

        var sending = SendAsync();
        Assert.Equal(up, await Traffic.ReceiveInPiecesAsync(server!, up.Length, seed: 2));
        await sending.InTime();
        await server!.SendAsync(up, default);
        Assert.Equal(up, await ReceiveAsync(client, up.Length).InTime());

        var disposing = server!.DisposeAsync().AsTask();
        Assert.Equal(WebSocketMessageType.Close, (await client.ReceiveAsync(new byte[1].AsMemory(), default).AsTask().InTime()).MessageType);
        Assert.Equal(WebSocketCloseStatus.NormalClosure, client.CloseStatus);
        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, default).InTime();
        await disposing.InTime();

        async Task SendAsync()
        {
            await client.SendAsync(up.AsMemory(0, 0), WebSocketMessageType.Binary, endOfMessage: true, default);
            await client.SendAsync(up.AsMemory(0, 1), WebSocketMessageType.Binary, endOfMessage: false, default);
            await client.SendAsync(up.AsMemory(1, 99_999), WebSocketMessageType.Binary, endOfMessage: false, default);
            await client.SendAsync(up.AsMemory(100_000, 0), WebSocketMessageType.Binary, endOfMessage: true, default);
            await client.SendAsync(up.AsMemory(100_000), WebSocketMessageType.Binary, endOfMessage: true, default);
        }
    }

    [Theory]
    [InlineData(WebSocketCloseStatus.NormalClosure)]
    [InlineData(WebSocketCloseStatus.EndpointUnavailable)]
    [InlineData((WebSocketCloseStatus)4000)]
    public async Task Close_message_of_the_client_ends_the_channel_without_an_error_and_is_answered(WebSocketCloseStatus status)
    {
        await using var listener = await MessageEndpoint.WebSocket(0, s_options).ListenAsync(new TransportContext());
        var accepting = listener.AcceptAsync(default).AsTask();
        using var client = new ClientWebSocket();
        await client.ConnectAsync(new Uri(listener.Endpoint.ToString()), default).InTime();
        await using var server = await accepting.InTime();

        var closing = client.CloseAsync(status, null, default);

        Assert.Equal(0, await server!.ReceiveAsync(new byte[1], default).AsTask().InTime());
        server.Abort(); // as a host does after an end without a goodbye
        await closing.InTime();
        Assert.Equal(status, client.CloseStatus);
    }

    [Fact]
    public async Task Close_message_without_a_code_is_answered()
    {
        await using var listener = await MessageEndpoint.WebSocket(0, s_options).ListenAsync(new TransportContext());
        using var client = await RequestAsync(listener, "GET / HTTP/1.1", "Host: 127.0.0.1");
        await using var server = await listener.AcceptAsync(default).AsTask().InTime();
        await ReceiveStartAsync(client);
        var receiving = server!.ReceiveAsync(new byte[1], default).AsTask();

        await client.GetStream().WriteAsync(new byte[] { 0x88, 0x80, 1, 2, 3, 4 });

        Assert.Equal(0, await receiving.InTime());
        server.Abort();
        var rest = new MemoryStream();
        await client.GetStream().CopyToAsync(rest).InTime();
        Assert.Equal(new byte[] { 0x88, 2, 1000 >> 8, 1000 & 0xFF }, rest.ToArray()[^4..]);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1", "Host: 127.0.0.1", "101")]
    [InlineData("GET /?token=1 HTTP/1.1", "Host: 127.0.0.1", "101")]
    [InlineData("GET http://127.0.0.1/ HTTP/1.1", "Host: 127.0.0.1", "101")]
    [InlineData("GET http://127.0.0.1/other HTTP/1.1", "Host: 127.0.0.1", "404")]
    [InlineData("GET / HTTP/1.1", "X: y", "400")]
    [InlineData("GET / HTTP/1.1", "Host:", "400")]
    [InlineData("GET / HTTP/1.1", "Host: 127.0.0.1\r\nHost: 127.0.0.1", "400")]
    [InlineData("GET / HTTP/1.1", "Host: a, b", "400")]
    public async Task Request_has_a_path_and_one_host(string line, string host, string status)
    {
        await using var listener = await MessageEndpoint.WebSocket(0, s_options).ListenAsync(new TransportContext());
        using var client = await RequestAsync(listener, line, host);
        await using var server = await listener.AcceptAsync(default).AsTask().InTime();

        Assert.Equal($"HTTP/1.1 {status}", await ReceiveStartAsync(client));
    }

    [Fact]
    public async Task Text_message_ends_the_connection()
    {
        await using var listener = await MessageEndpoint.WebSocket(0, s_options).ListenAsync(new TransportContext());
        var accepting = listener.AcceptAsync(default).AsTask();
        using var client = new ClientWebSocket();
        await client.ConnectAsync(new Uri(listener.Endpoint.ToString()), default).InTime();
        await using var server = await accepting.InTime();

        await client.SendAsync("text"u8.ToArray(), WebSocketMessageType.Text, endOfMessage: true, default).InTime();

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => server!.ReceiveAsync(new byte[10], default).AsTask().InTime());
        Assert.Equal(TransportCloseReason.WrongProtocol, failure.Reason);
        Assert.Equal(WebSocketMessageType.Close, (await client.ReceiveAsync(new byte[10].AsMemory(), default).AsTask().InTime()).MessageType);
        Assert.Equal(WebSocketCloseStatus.InvalidMessageType, client.CloseStatus);
    }

    [Fact]
    public async Task Server_of_the_framework_exchanges_bytes_with_the_client()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        var port = ((IPEndPoint)probe.LocalEndpoint).Port;
        probe.Stop();
        using var http = new HttpListener();
        http.Prefixes.Add($"http://127.0.0.1:{port}/");
        http.Start();
        var accepting = http.GetContextAsync();
        var connecting = MessageEndpoint.WebSocket(port).ConnectAsync(new TransportContext()).AsTask();
        using var server = (await (await accepting.InTime()).AcceptWebSocketAsync(null).InTime()).WebSocket;
        await using var client = await connecting.InTime();
        var bytes = Traffic.Noise(150_000, seed: 3);

        var sending = client.SendAsync(bytes, default).AsTask();
        Assert.Equal(bytes, await ReceiveAsync(server, bytes.Length).InTime());
        await sending.InTime();
        await server.SendAsync(bytes, WebSocketMessageType.Binary, endOfMessage: true, default);
        Assert.Equal(bytes, await Traffic.ReceiveInPiecesAsync(client, bytes.Length, seed: 4));
    }

    [Theory]
    [InlineData("https://tools.example.org/")]
    [InlineData("https://tools.example.org:443")]
    [InlineData("tools.example.org")]
    [InlineData("*")]
    public void Origin_that_no_browser_sends_is_refused(string origin) =>
        Assert.Contains($"'{origin}'", Assert.Throws<ArgumentException>(() => new WebSocketEndpointOptions { AllowedOrigins = [origin] }).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("game")]
    [InlineData("/a b")]
    [InlineData("/a\r\nHost: b")]
    [InlineData("/a?b")]
    [InlineData("/ä")]
    [InlineData("")]
    public void Path_that_no_request_contains_is_refused(string path) =>
        Assert.Contains($"'{path}'", Assert.Throws<ArgumentException>(() => new WebSocketEndpointOptions { Path = path }).Message, StringComparison.Ordinal);

    private static async Task<TcpClient> RequestAsync(TransportListener listener, string line, string host)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, listener.Endpoint.Port).InTime();
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes($"{line}\r\n{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"));
        return client;
    }

    private static async Task<string> ReceiveStartAsync(TcpClient client)
    {
        var start = new byte[12];
        await client.GetStream().ReadExactlyAsync(start).AsTask().InTime();
        return Encoding.ASCII.GetString(start);
    }

    private static async Task<byte[]> ReceiveAsync(WebSocket socket, int length)
    {
        var bytes = new byte[length];
        for (var received = 0; received < length;)
            received += (await socket.ReceiveAsync(bytes.AsMemory(received), CancellationToken.None)).Count;
        return bytes;
    }
}
