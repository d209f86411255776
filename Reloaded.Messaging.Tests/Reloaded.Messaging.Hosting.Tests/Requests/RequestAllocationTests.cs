using System.Diagnostics;
using System.Reflection;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>Counts what the whole process allocates, so nothing else may run.</summary>
[Quiet]
public sealed class RequestAllocationTests
{
    private const int Requests = 10_000;

    // Timers, pings and the runtime's own threads allocate a little beside the requests.
    private const double MostPerRequest = 16;

    private static int s_names;

    [Theory]
    [InlineData(false, 1)]
    [InlineData(false, 64)]
    [InlineData(true, 1)]
    [InlineData(true, 64)]
    public async Task A_request_allocates_nothing_once_everything_is_warm(bool isTcp, int inFlight)
    {
        Assert.SkipWhen(
            typeof(MessageHost).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true },
            "A debug build makes an object of each call of an async method. Run this one with -c Release.");
        var endpoint = isTcp ? MessageEndpoint.Tcp(0) : MessageEndpoint.InProcess($"allocation-{Interlocked.Increment(ref s_names)}");
        await using var hosts = await HostPair.ConnectAsync(endpoint, server => server.OnRequest((in Ping ping, Peer _) => new Pong(ping.Number)));
        await AskAsync(hosts.Client, inFlight);

        var least = double.MaxValue;
        for (var round = 0; round < 5 && least > MostPerRequest; round++)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            await AskAsync(hosts.Client, inFlight);
            least = Math.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Requests);
        }

        Assert.True(least <= MostPerRequest, $"{least:F1} bytes a request");
    }

    private static async Task AskAsync(MessageClient client, int inFlight)
    {
        var lanes = new Task[inFlight];
        for (var lane = 0; lane < inFlight; lane++)
            lanes[lane] = AskInTurnAsync(client, Requests / inFlight);
        await Task.WhenAll(lanes);
    }

    private static async Task AskInTurnAsync(MessageClient client, int count)
    {
        for (var i = 0; i < count; i++)
        {
            if ((await client.RequestAsync<Ping, Pong>(new Ping(i))).Number != i)
                throw new InvalidOperationException("That was another's reply.");
        }
    }
}
