using System.Diagnostics;
using System.Linq;
using ModLoader;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Sends a configuration as JSON to peers in this process. Compares packing once with packing for each peer.</summary>
public static class BroadcastFigure
{
    /// <summary>The number of peers.</summary>
    public const int Few = 100;

    /// <summary>The number of peers that shows the growth.</summary>
    public const int Many = 1000;

    /// <summary>The number of rounds.</summary>
    public const int Rounds = 51;

    private const int WarmUpRounds = 25;
    private const int MessagesOfRound = 10;

    /// <param name="count">The number of peers.</param>
    /// <returns>The time per message and peer in nanoseconds, for each round: packed for each peer, and packed once.</returns>
    public static async Task<(List<double> Each, List<double> All)> MeasureAsync(int count)
    {
        var contract = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        long handled = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("broadcast"), options: new MessageHostOptions { Limits = new HostLimits { MaxPeers = count } });
        var clients = new List<MessageClient>();
        for (var i = 0; i < count; i++)
            clients.Add(await MessageHost.ConnectAsync(MessageEndpoint.InProcess("broadcast"), client => client.On(contract, (in ModConfig _, Peer _) => Interlocked.Increment(ref handled))));
        var peers = server.Peers.ToArray();
        while (peers.Length < count)
        {
            await Task.Yield();
            peers = [.. server.Peers];
        }

        var (each, all) = (new List<double>(), new List<double>());
        long sent = 0;
        for (var round = -WarmUpRounds; round < Rounds; round++)
        {
            var isAllFirst = round % 2 != 0;
            var early = await TimeAsync(isAllFirst);
            var late = await TimeAsync(!isAllFirst);
            if (round < 0)
                continue;
            each.Add(isAllFirst ? late : early);
            all.Add(isAllFirst ? early : late);
        }

        foreach (var client in clients)
            await client.DisposeAsync();
        return (each, all);

        // Returns the time to send, in nanoseconds per message and peer. Receiving is not included, because it is the same on the two sides: the handlers of all earlier messages have ended.
        async Task<double> TimeAsync(bool isBroadcast)
        {
            while (Interlocked.Read(ref handled) < sent)
                await Task.Delay(1);
            var start = Stopwatch.GetTimestamp();
            var reached = 0;
            for (var i = 0; i < MessagesOfRound; i++)
                reached += isBroadcast ? server.AllPeers.Broadcast(contract, Samples.Typical) : ToEach(peers, contract);
            var time = Stopwatch.GetElapsedTime(start).TotalNanoseconds / (MessagesOfRound * count);
            sent += reached;
            return reached == MessagesOfRound * count ? time : throw new InvalidOperationException($"{MessagesOfRound} messages were sent {reached} times to {count} peers.");
        }
    }

    private static int ToEach(Peer[] peers, MessageContract<ModConfig> contract)
    {
        var sent = 0;
        foreach (var peer in peers)
            sent += peer.Send(contract, Samples.Typical) == SendStatus.Sent ? 1 : 0;
        return sent;
    }
}
