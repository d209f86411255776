using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using ModLoader;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Sends a configuration as JSON to a hundred peers in this process. Compares packing once with packing for each peer.</summary>
public static class BroadcastFigure
{
    private const int Peers = 100;
    private const int WarmUpRounds = 50;

    /// <summary>The number of rounds.</summary>
    public const int Rounds = 101;


    /// <returns>The time per peer in nanoseconds, for each round: packed for each peer, and packed once.</returns>
    public static async Task<(List<double> Each, List<double> All)> MeasureAsync()
    {
        var contract = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        long handled = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("broadcast"));
        var clients = new List<MessageClient>();
        for (var i = 0; i < Peers; i++)
            clients.Add(await MessageHost.ConnectAsync(MessageEndpoint.InProcess("broadcast"), client => client.On(contract, (in ModConfig _, Peer _) => Interlocked.Increment(ref handled))));
        var peers = server.Peers.ToArray();
        while (peers.Length < Peers)
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

        // Returns the time to send, in nanoseconds per peer. Receiving is not included, because it is the same on the two sides: the handlers of all earlier messages have ended.
        async Task<double> TimeAsync(bool isBroadcast)
        {
            while (Interlocked.Read(ref handled) < sent)
                await Task.Delay(1);
            var start = Stopwatch.GetTimestamp();
            var count = isBroadcast ? server.Broadcast(contract, Samples.Typical, peers) : ToEach(peers, contract);
            var time = Stopwatch.GetElapsedTime(start).TotalNanoseconds / Peers;
            sent += count;
            return count == Peers ? time : throw new InvalidOperationException($"The message was sent to {count} of {Peers} peers.");
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
