using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The servers of the echo figures, ours and the floors': in this process, or all in another one.</summary>
public sealed class EchoServer : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _hosts = [];
    private readonly List<Socket> _sockets = [];
    private readonly CancellationTokenSource _stopped = new();
    private long _handled;

    /// <summary>Where it listens: one endpoint for each name.</summary>
    public Dictionary<string, Endpoint> Endpoints { get; } = [];

    public static async Task<EchoServer> StartAsync(string folder)
    {
        var server = new EchoServer();
        foreach (var transport in (string[])["tcp", "unix"])
        {
            await server.ListenAsync(transport, folder);
            server.Listen($"{transport}.pipelines", transport, folder, BareEcho.ServeAsync);
            server.Listen($"{transport}.pingpong", transport, folder, BareSockets.PingPongAsync);
        }

        server.Listen("unix.sink", "unix", folder, BareSockets.SinkAsync);
        return server;
    }

    public async ValueTask DisposeAsync()
    {
        await _stopped.CancelAsync();
        foreach (var host in _hosts)
            await host.DisposeAsync();
        foreach (var socket in _sockets)
            socket.Dispose();
        _stopped.Dispose();
    }

    private static Endpoint Make(string name, string transport, string folder) =>
        transport == "unix" ? Endpoint.Unix(Path.Combine(folder, name + ".sock")) : Endpoint.Tcp(0);

    private async Task ListenAsync(string transport, string folder)
    {
        var host = await MessageHost.ListenAsync(Make(transport, transport, folder), host =>
        {
            host.OnRequest(static (in EchoMessage message, Peer _) => message);
            host.OnRequest(static (in AllocatedQuery _, Peer _) => new AllocatedReport(GC.GetTotalAllocatedBytes(precise: true)));
            host.On((in OneWayMessage _, Peer _) => _handled++);
            host.OnRequest((in HandledQuery _, Peer _) => new HandledReport(_handled));
        });
        _hosts.Add(host);
        Endpoints[transport] = host.Endpoint;
    }

    private void Listen(string name, string transport, string folder, Func<Socket, Task> serve)
    {
        var endpoint = Make(name, transport, folder);
        var socket = BareSockets.Listen(endpoint);
        _sockets.Add(socket);
        Endpoints[name] = transport == "unix" ? endpoint : Endpoint.Tcp(((IPEndPoint)socket.LocalEndPoint!).Port);
        _ = BareSockets.AcceptAllAsync(socket, serve, _stopped.Token);
    }
}
