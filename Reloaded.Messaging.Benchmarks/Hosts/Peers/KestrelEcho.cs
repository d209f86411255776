using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>Kestrel over HTTP/2 and a Unix socket, as gRPC uses it, without a serializer: the body of a request returns as the body of the response.</summary>
public static class KestrelEcho
{
    private const int BodySize = 24;

    public static async Task<IAsyncDisposable> ListenAsync(string path)
    {
        var builder = WebApplication.CreateSlimBuilder(); // without static files and authentication
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options => options.ListenUnixSocket(path, static listen => listen.Protocols = HttpProtocols.Http2));
        var app = builder.Build();
        app.Run(EchoAsync);
        await app.StartAsync();
        return app;
    }

    /// <summary>Returns a client with one connection for all requests in flight.</summary>
    public static HttpClient Connect(string path) => new(HandlerOf(path)) { BaseAddress = new Uri("http://localhost/") };

    /// <summary>Returns a handler with one connection to a Unix socket.</summary>
    public static SocketsHttpHandler HandlerOf(string path) => new()
    {
        EnableMultipleHttp2Connections = false,
        ConnectCallback = async (_, cancellationToken) =>
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        },
    };

    /// <summary>Sends requests: a number of loops per client, each of which awaits the response before it sends the next request.</summary>
    /// <returns>The number of responses per second.</returns>
    public static async Task<double> AskAsync(HttpClient[] clients, int inFlight, TimeSpan time)
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        var counts = await Task.WhenAll(clients.SelectMany(client => Enumerable.Range(0, inFlight).Select(_ => Task.Run(() => LoopAsync(client, () => watch.Elapsed < time)))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    private static async Task<long> LoopAsync(HttpClient client, Func<bool> goesOn)
    {
        var (body, received) = (new byte[BodySize], new byte[BodySize]);
        long count = 0;
        while (goesOn())
        {
            BitConverter.TryWriteBytes(body, count);
            using var request = new HttpRequestMessage(HttpMethod.Post, "/echo") { Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact, Content = new ByteArrayContent(body) };
            using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
            await using var stream = await response.Content.ReadAsStreamAsync();
            await stream.ReadExactlyAsync(received);
            if (BitConverter.ToInt64(received) != count)
                throw new InvalidOperationException($"The response belongs to another request: it has the number {BitConverter.ToInt64(received)}, and the request has the number {count}.");
            count++;
        }

        return count;
    }

    private static async Task EchoAsync(HttpContext context)
    {
        var body = await context.Request.BodyReader.ReadAtLeastAsync(BodySize);
        context.Response.ContentLength = body.Buffer.Length;
        foreach (var part in body.Buffer)
            part.Span.CopyTo(context.Response.BodyWriter.GetSpan(part.Length)[..part.Length]);
        context.Response.BodyWriter.Advance((int)body.Buffer.Length);
        context.Request.BodyReader.AdvanceTo(body.Buffer.End);
        await context.Response.BodyWriter.FlushAsync();
    }
}
