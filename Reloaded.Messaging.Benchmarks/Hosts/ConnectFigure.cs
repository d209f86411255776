using System.Diagnostics;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Measures the time until a server replies, after it was found or after it is back.</summary>
public static class ConnectFigure
{
    private const int Rounds = 31;

    // A client of a server that was away for long waits on average half of the longest delay. The delay is short here, so that the rest is visible.
    private static readonly ReconnectOptions s_policy = new()
    {
        FirstDelay = TimeSpan.FromMilliseconds(5),
        MaxDelay = TimeSpan.FromMilliseconds(5),
        ResendsRequests = true,
    };

    /// <returns>The times from a process id to the first reply, in milliseconds.</returns>
    public static async Task<List<double>> ConnectAsync(int processId)
    {
        var times = new List<double>();
        for (var round = -3; round < Rounds; round++)
        {
            var watch = Stopwatch.StartNew();
            await using var client = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(processId, EchoServer.PublishedName));
            await client.RequestAsync<EchoMessage, EchoMessage>(new EchoMessage(1, 2, 3));
            if (round >= 0)
                times.Add(watch.Elapsed.TotalMilliseconds);
        }

        return times;
    }

    /// <returns>The times from the restart of the server to the reply of a waiting request, in milliseconds.</returns>
    public static async Task<List<double>> ReconnectAsync()
    {
        var times = new List<double>();
        var endpoint = MessageEndpoint.OfProcess(Environment.ProcessId, "reconnect-figure");
        var server = await ListenAsync(endpoint);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: new MessageHostOptions { Reconnect = s_policy });
        for (var round = -3; round < Rounds; round++)
        {
            var lost = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            client.PeerDisconnected += (_, _) => lost.TrySetResult();
            await server.DisposeAsync();
            await lost.Task;
            var asking = client.RequestAsync<EchoMessage, EchoMessage>(new EchoMessage(1, 2, 3));
            server = await ListenAsync(endpoint);
            var watch = Stopwatch.StartNew();
            await asking;
            if (round >= 0)
                times.Add(watch.Elapsed.TotalMilliseconds);
        }

        await server.DisposeAsync();
        return times;
    }

    private static Task<MessageServer> ListenAsync(MessageEndpoint endpoint) =>
        MessageHost.ListenAsync(endpoint, static server => server.OnRequest(static (in EchoMessage message, Peer _) => message));
}
