using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using GameServer.Bots;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace GameServer;

/// <summary>The bots, in another process of the same program. The two processes exchange requests over the standard input and output.</summary>
internal sealed class CrowdProcess : IAsyncDisposable
{
    public const string Argument = "bots";

    private static readonly TimeSpan s_enough = TimeSpan.FromSeconds(60);

    private readonly Process _process;
    private readonly MessageClient _client;

    private CrowdProcess(Process process, MessageClient client) => (_process, _client) = (process, client);

    public static async Task<CrowdProcess> StartAsync()
    {
        var program = Path.ChangeExtension(typeof(CrowdProcess).Assembly.Location, OperatingSystem.IsWindows() ? ".exe" : null);
        var process = Process.Start(new ProcessStartInfo(program, Argument) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
        var options = new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = s_enough } }; // the process must start meanwhile
        return new CrowdProcess(process, await MessageHost.ConnectAsync(MessageEndpoint.Over(process.StandardOutput.BaseStream, process.StandardInput.BaseStream), options: options));
    }

    /// <summary>The other process: does what the first one requests, until that one ends.</summary>
    public static async Task<int> RunAsync()
    {
        await using var crowd = new Crowd();
        var path = new NetworkPath();
        var end = new TaskCompletionSource();
        await using var host = await MessageHost.ListenAsync(MessageEndpoint.Over(Console.OpenStandardInput(), Console.OpenStandardOutput()), server =>
        {
            server.OnRequest(async (EnterAll enter) =>
            {
                var endpoint = At(enter.Transport, enter.Port);
                enter.Path.ApplyTo(path);
                await crowd.EnterAsync(enter.Path == default ? endpoint : endpoint.WithPath(path), Bot.OptionsFor(enter.Token, enter.ServerKey), enter.Players);
            });
            server.OnRequest((PathConditions conditions) => conditions.ApplyTo(path));
            server.OnRequest((StopPlaying _) => crowd.StopAsync());
            server.OnRequest<Look, Views>(_ => new Views(crowd.Look(), Environment.CpuUsage.TotalTime.TotalSeconds));
            server.PeerDisconnected += (_, _) => end.TrySetResult();
        });
        await end.Task;
        return 0;
    }

    /// <summary>The endpoint of a transport on this machine.</summary>
    public static MessageEndpoint At(string transport, int port) => transport switch
    {
        "litenet" => new LiteNetTransport().At(port),
        "udp" => MessageEndpoint.Udp(port),
        _ => MessageEndpoint.Tcp(port),
    };

    public async Task DoAsync(IRequest request) => await _client.RequestAsync(request, s_enough);

    public async Task<Views> LookAsync() => await _client.RequestAsync(default(Look), s_enough);

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
