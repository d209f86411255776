using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using ModLoader;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Sends a configuration as JSON to a hundred peers in this process. Compares packing once with packing for each peer.</summary>
public static class BroadcastFigure
{
    private const int Peers = 100;
    private const int Rounds = 101;

    /// <returns>The time per peer in nanoseconds, for each round: packed for each peer, and packed once.</returns>
    public static async Task<(List<double> Each, List<double> All)> MeasureAsync()
    {
        var contract = new MessageContract<ModConfig>(20, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("broadcast"));
        var clients = new List<MessageClient>();
        for (var i = 0; i < Peers; i++)
            clients.Add(await MessageHost.ConnectAsync(MessageEndpoint.InProcess("broadcast"), client => client.On(contract, static (in ModConfig _, Peer _) => { })));
        var peers = server.Peers.ToArray();
        while (peers.Length < Peers)
        {
            await Task.Yield();
            peers = [.. server.Peers];
        }

        var (each, all) = (new List<double>(), new List<double>());
        for (var round = 0; round < 2 * Rounds; round++)
        {
            var forEach = await TimeAsync(peers, () => ToEach(peers, contract));
            var forAll = await TimeAsync(peers, () => server.Broadcast(contract, Samples.Typical, peers));
            if (round < Rounds)
                continue; // warm-up
            each.Add(forEach);
            all.Add(forAll);
        }

        foreach (var client in clients)
            await client.DisposeAsync();
        return (each, all);
    }

    /// <summary>Returns the time to send, in nanoseconds per peer. Receiving is not included, because it is the same on the two sides. Starts when all earlier messages are sent.</summary>
    private static async Task<double> TimeAsync(Peer[] peers, Func<int> send)
    {
        foreach (var peer in peers)
            await peer.FlushAsync();
        var start = Stopwatch.GetTimestamp();
        if (send() != Peers)
            throw new InvalidOperationException("The message was not sent to every peer.");
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / Peers;
    }

    private static int ToEach(Peer[] peers, MessageContract<ModConfig> contract)
    {
        var sent = 0;
        foreach (var peer in peers)
            sent += peer.Send(contract, Samples.Typical) == SendStatus.Sent ? 1 : 0;
        return sent;
    }
}
