using System.Diagnostics;
using System.Globalization;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Benchmarks.Links;

/// <summary>The two ends of an emulated path, each in a process in its namespace: reliable events of 1,000 bytes, as many as the path carries, with encryption.</summary>
public static class PathPeer
{
    public const string ServerVerb = "path-server";
    public const string ClientVerb = "path-client";
    public const string Ours = "udp";
    public const string Tcp = "tcp";
    public const string LiteNet = "litenet";

    private const int EventSize = 1000;

    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(2); // the handshake and the start of the flow are not measured

    private static MessageContract<ReadOnlyMemory<byte>> Contract { get; } = new(60, new RawSerializer());

    /// <summary>Prints the endpoint, and then the bytes per second that were handled.</summary>
    public static async Task ServeAsync(string kind, double seconds)
    {
        long bytes = 0;
        var began = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var server = await MessageHost.ListenAsync(
            EndpointOf(kind, EmulatedLink.ServerAddress, 0),
            host =>
            {
                host.On(Contract, (in ReadOnlyMemory<byte> message, Peer _) =>
                {
                    began.TrySetResult();
                    Interlocked.Add(ref bytes, message.Length);
                });
                host.OnRequest(static (in Hosts.EchoMessage message, Peer _) => message);
            },
            Options());
        Console.WriteLine(server.Endpoint.Port);
        await began.Task;
        await Task.Delay(s_start);
        var (before, watch) = (Interlocked.Read(ref bytes), Stopwatch.StartNew());
        await Task.Delay(TimeSpan.FromSeconds(seconds));
        Console.WriteLine(((Interlocked.Read(ref bytes) - before) / watch.Elapsed.TotalSeconds).ToString(CultureInfo.InvariantCulture));
        await Console.In.ReadLineAsync();
    }

    /// <summary>Sends until the standard input ends. Then prints the median time of requests beside the events, in milliseconds.</summary>
    public static async Task SendAsync(string kind, int port)
    {
        await using var client = await MessageHost.ConnectAsync(
            EndpointOf(kind, EmulatedLink.ServerAddress, port),
            host => host.Deliver(Contract, kind == Ours ? DeliveryMode.ReliableByType : DeliveryMode.ReliableOrdered), // the same order for events of one type; requests do not wait behind them
            Options());
        var ending = Task.Run(Console.In.ReadLine); // the asynchronous read of a console blocks
        var message = new ReadOnlyMemory<byte>(new byte[EventSize]);
        var times = new List<double>();
        var asking = AskAsync();
        while (!ending.IsCompleted)
            await client.Server.SendAsync(Contract, message);
        times.Sort();
        Console.WriteLine((times.Count == 0 ? double.NaN : times[times.Count / 2]).ToString(CultureInfo.InvariantCulture));
        Environment.Exit(0); // the outbox may take minutes

        async Task AskAsync()
        {
            while (!ending.IsCompleted)
            {
                var watch = Stopwatch.StartNew();
                await client.RequestAsync<Hosts.EchoMessage, Hosts.EchoMessage>(default, TimeSpan.FromMinutes(5));
                times.Add(watch.Elapsed.TotalMilliseconds);
                await Task.Delay(100);
            }
        }
    }

    private static MessageHostOptions Options() => new()
    {
        Token = new byte[32],
        Protection = ProtectionOptions.WithSecret(new byte[32]),
        Limits = new HostLimits { MaxPendingBytes = 64 * 1024 },
        KeepAliveTimeout = TimeSpan.FromMinutes(5),
    };

    private static MessageEndpoint EndpointOf(string kind, string host, int port) => kind switch
    {
        Ours => MessageEndpoint.Udp(host, port),
        Tcp => MessageEndpoint.Tcp(host, port),
        _ => new LiteNetTransport().At(host, port),
    };
}
