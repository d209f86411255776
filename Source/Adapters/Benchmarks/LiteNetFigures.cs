using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Udp;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.LiteNetLib;

namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary>Group <c>litenet</c>: hosts over LiteNetLib on loopback, in one process, compared with a plain UDP socket.</summary>
public sealed class LiteNetFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int InFlight = 255;
    private const int Rounds = 11;
    private const int AsksARound = 3000;

    private static readonly byte[] s_buffer = new byte[36];
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(300);

    public override string Method => "Hosts over LiteNetLib on loopback, in one process, are compared with a plain UDP socket. 11 rounds.";

    public override void Measure() => MeasureAsync().GetAwaiter().GetResult();

    private async Task MeasureAsync()
    {
        await using (var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0), static host => host.OnRequest(static (in EchoMessage message, Peer _) => message)))
        await using (var client = await MessageHost.ConnectAsync(new LiteNetTransport().At(server.Endpoint.Port)))
        {
            await RoundTripAsync(client);
            await InFlightAsync(client);
        }

        foreach (var method in Enum.GetValues<DeliveryMethod>())
            await OneWayAsync(method);
    }

    /// <summary>Compares the median time of a request and its reply with the median time of one datagram in each direction.</summary>
    private async Task RoundTripAsync(MessageClient client)
    {
        using var echo = BareUdp.Bind();
        _ = BareUdp.EchoAsync(echo);
        using var socket = BareUdp.Connect(echo);
        var (floor, ours, ratios) = (new List<double>(), new List<double>(), new List<double>());
        for (var round = -1; round < Rounds; round++)
        {
            var bare = await MedianAsync(() => AskBareAsync(socket));
            var host = await MedianAsync(() => AskAsync(client));
            if (round < 0)
                continue;
            floor.Add(bare);
            ours.Add(host);
            ratios.Add(host / bare);
        }

        Report("litenet.roundtrip.ratio", "ratio", ratios, 1.5);
        Report("litenet.roundtrip.floor.us", "us", floor);
        Report("litenet.roundtrip.us", "us", ours);
    }

    private async Task InFlightAsync(MessageClient client)
    {
        var rates = new List<double>();
        for (var round = -2; round < Rounds; round++)
        {
            var rate = await Asking.OursAsync([client], InFlight, s_time);
            if (round >= 0)
                rates.Add(rate);
        }

        Report("litenet.requests.rate", "messages/s", rates, 300_000, isAtLeast: true);
        Report("litenet.alloc", "B", await Asking.AllocatedAsync([client], InFlight), 1);
    }

    /// <summary>Measures received events per second, from one sender that waits when the host is full.</summary>
    private async Task OneWayAsync(DeliveryMethod method)
    {
        var count = 0L;
        var options = new LiteNetOptions().Deliver<EchoMessage>(method);
        await using var server = await MessageHost.ListenAsync(
            new LiteNetTransport(options).At(0),
            host => host.On((in EchoMessage _, Peer _) => Interlocked.Increment(ref count)));
        await using var client = await MessageHost.ConnectAsync(new LiteNetTransport(options).At(server.Endpoint.Port));
        var (rates, arrived) = (new List<double>(), new List<double>());
        for (var round = -1; round < Rounds; round++)
        {
            var (before, sent) = (Interlocked.Read(ref count), 0L);
            var watch = Stopwatch.StartNew();
            for (; watch.Elapsed < s_time; sent++)
                await client.SendAsync(new EchoMessage(sent, 2, 3));
            var rate = (Interlocked.Read(ref count) - before) / watch.Elapsed.TotalSeconds;
            await client.Server.FlushAsync();
            await Task.Delay(50); // time for events that are still under way
            if (round < 0)
                continue;
            rates.Add(rate);
            arrived.Add((Interlocked.Read(ref count) - before) / (double)sent);
        }

        Report($"litenet.oneway.{method}.rate", "messages/s", rates);
        Report($"litenet.oneway.{method}.arrived", "ratio", arrived);
    }

    private static async Task<double> MedianAsync(Func<Task> ask)
    {
        var times = new double[AsksARound];
        for (var i = 0; i < times.Length; i++)
        {
            var start = Stopwatch.GetTimestamp();
            await ask();
            times[i] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
        }

        Array.Sort(times);
        return times[times.Length / 2];
    }

    private static async Task AskAsync(MessageClient client) => await client.RequestAsync<EchoMessage, EchoMessage>(new EchoMessage(1, 2, 3));

    private static async Task AskBareAsync(Socket socket)
    {
        await socket.SendAsync(s_buffer);
        await socket.ReceiveAsync(s_buffer);
    }
}
