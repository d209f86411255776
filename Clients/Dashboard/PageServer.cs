using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using System.Threading.Tasks;

namespace Dashboard;

/// <summary>Serves the files of a folder and the port of the game to browsers of this machine. They contain no secret: the token is in the fragment of the URL, which browsers do not send.</summary>
public sealed class PageServer : IAsyncDisposable
{
    private const string GamePath = "/game.json";

    private readonly HttpListener _listener = new();
    private readonly Dictionary<string, string> _files;
    private readonly Task _serving;

    /// <param name="folder">The folder. Its files are listed once.</param>
    /// <param name="port">The port, or 0 for a free one.</param>
    public PageServer(string folder, int port)
    {
        _files = Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).ToDictionary(file => '/' + Path.GetRelativePath(folder, file).Replace('\\', '/'));
        _files["/"] = _files["/index.html"];
        Origin = $"http://localhost:{(port == 0 ? FindFreePort() : port)}";
        _listener.Prefixes.Add(Origin + '/');
        _listener.Start();
        _serving = ServeAsync();
    }

    /// <summary>The origin of the page, as a browser sends it.</summary>
    public string Origin { get; }

    /// <summary>The port of the game, by which a page finds a game that was started again; 0 while the game starts.</summary>
    public int GamePort { get; set; }

    public async ValueTask DisposeAsync()
    {
        _listener.Close();
        await _serving;
    }

    private static int FindFreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0); // HttpListener chooses none itself
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }

    private async Task ServeAsync()
    {
        while (_listener.IsListening)
        {
            try
            {
                await AnswerAsync(await _listener.GetContextAsync());
            }
            catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException)
            {
                // The browser went away, or this server was disposed; the loop checks which.
                _ = e;
            }
        }
    }

    private async Task AnswerAsync(HttpListenerContext context)
    {
        using var response = context.Response;
        response.Headers["Content-Security-Policy"] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'";
        response.Headers["X-Content-Type-Options"] = "nosniff";
        response.Headers["Cache-Control"] = "no-cache";
        var path = context.Request.Url!.AbsolutePath;
        if (context.Request.HttpMethod != "GET" || (path != GamePath && !_files.ContainsKey(path)))
        {
            response.StatusCode = context.Request.HttpMethod == "GET" ? 404 : 405;
            return;
        }

        response.ContentType = Path.GetExtension(path == "/" ? "index.html" : path) switch
        {
            ".html" => "text/html; charset=utf-8",
            ".css" => "text/css; charset=utf-8",
            ".js" => "text/javascript; charset=utf-8",
            _ => "application/json",
        };
        var bytes = path == GamePath ? JsonSerializer.SerializeToUtf8Bytes(new { port = GamePort }) : await File.ReadAllBytesAsync(_files[path]);
        response.ContentLength64 = bytes.Length;
        await response.OutputStream.WriteAsync(bytes);
    }
}
