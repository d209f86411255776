using System.Diagnostics;
using System.IO;
using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The servers of the echo figures, of the library and of the floors. All of them run in this process, or all run in another process.</summary>
public sealed class EchoServer : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _hosts = [];
    private readonly List<Socket> _sockets = [];
    private readonly List<NamedPipeServerStream> _pipes = [];
    private readonly CancellationTokenSource _stopped = new();
    private readonly Lazy<X509Certificate2> _certificate = new(SelfSigned.Make);
    private long _handled;

    /// <summary>The name under which one of the servers is found by its process id.</summary>
    public const string PublishedName = "echo-figures";

    /// <summary>The certificate that a client of the <c>tls</c> endpoint accepts.</summary>
    public TlsOptions Pinning => new() { PinnedThumbprint = _certificate.Value.GetCertHashString(HashAlgorithmName.SHA256) };

    /// <summary>The endpoints of the servers, by name.</summary>
    public Dictionary<string, MessageEndpoint> Endpoints { get; } = [];

    public static async Task<EchoServer> StartAsync(string folder)
    {
        var server = new EchoServer();
        foreach (var transport in (string[])["tcp", "unix"])
        {
            await server.ListenAsync(transport, folder);
            server.Listen($"{transport}.pipelines", transport, folder, BareEcho.ServeAsync);
            server.Listen($"{transport}.pingpong", transport, folder, BareSockets.PingPongAsync);
        }

        server.Listen("unix.oneway", "unix", folder, BareOneWay.ServeAsync);
        server.Listen("tcp.requests", "tcp", folder, SocketEcho.ServeAsync);
        await server.ListenAsync("pipe", folder);
        server.ListenPipe("pipe.pingpong", folder, BarePipe.PingPongAsync);
        server.ListenPipe("pipe.json", folder, JsonLines.ServeAsync);
        server.Endpoints["unix.http2"] = Make("unix.http2", "unix", folder);
        server._hosts.Add(await KestrelEcho.ListenAsync(server.Endpoints["unix.http2"].Address));
        await server.ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, PublishedName), "process");
        await server.ListenAsync(MessageEndpoint.Tcp("127.0.0.1", 0, new TlsOptions { Certificate = server._certificate.Value }), "tls");
        return server;
    }

    public async ValueTask DisposeAsync()
    {
        await _stopped.CancelAsync();
        foreach (var host in _hosts)
            await host.DisposeAsync();
        foreach (var socket in _sockets)
            socket.Dispose();
        foreach (var pipe in _pipes)
            await pipe.DisposeAsync();
        _stopped.Dispose();
        _certificate.Value.Dispose();
    }

    private static MessageEndpoint Make(string name, string transport, string folder) => transport switch
    {
        "unix" => MessageEndpoint.Unix(Path.Combine(folder, name + ".sock")),
        "pipe" => OperatingSystem.IsWindows() ? MessageEndpoint.Pipe(Path.GetFileName(folder) + name) : MessageEndpoint.Over(NamedPipeTransport.Default, Path.Combine(folder, name + ".pipe")),
        _ => MessageEndpoint.Tcp(0),
    };

    private Task ListenAsync(string transport, string folder) => ListenAsync(Make(transport, transport, folder), transport);

    private async Task ListenAsync(MessageEndpoint endpoint, string name, MessageHostOptions? options = null)
    {
        var host = await MessageHost.ListenAsync(
            endpoint,
            host =>
            {
                host.OnRequest(static (in EchoMessage message, Peer _) => message);
                host.OnRequest(static (in AllocatedQuery _, Peer _) => new AllocatedReport(GC.GetTotalAllocatedBytes(precise: true)));
                host.On((in OneWayMessage _, Peer _) => _handled++);
                host.OnRequest((in HandledQuery _, Peer _) => new HandledReport(_handled));
            },
            options);
        _hosts.Add(host);
        Endpoints[name] = host.Endpoint;
    }

    private void ListenPipe(string name, string folder, Func<NamedPipeServerStream, Task> serveAsync)
    {
        Endpoints[name] = Make(name, "pipe", folder);
        var pipe = BarePipe.Listen(Endpoints[name]);
        _pipes.Add(pipe);
        _ = serveAsync(pipe);
    }

    private void Listen(string name, string transport, string folder, Func<Socket, Task> serve)
    {
        var endpoint = Make(name, transport, folder);
        var socket = BareSockets.Listen(endpoint);
        _sockets.Add(socket);
        Endpoints[name] = transport == "unix" ? endpoint : MessageEndpoint.Tcp(((IPEndPoint)socket.LocalEndPoint!).Port);
        _ = BareSockets.AcceptAllAsync(socket, serve, _stopped.Token);
    }
}
