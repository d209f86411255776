using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net.Sockets;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Udp;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.LiteNetLib;

namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary>Group <c>litenet</c>: hosts over LiteNetLib on loopback, in one process, compared with a plain UDP socket and with LiteNetLib alone.</summary>
public sealed class LiteNetFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int InFlight = 255;
    private const int Rounds = 11;
    private const int AsksARound = 3000;

    private static readonly byte[] s_buffer = new byte[36];
    private static readonly int[] s_sizes = [16, 900];
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(300);

    public override string Method => "Hosts over LiteNetLib on loopback, in one process, are compared with a plain UDP socket and with LiteNetLib alone. 11 rounds in turn.";

    public override void Measure() => MeasureAsync().GetAwaiter().GetResult();

    private async Task MeasureAsync()
    {
        await using (var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0), static host => host.OnRequest(static (in EchoMessage message, Peer _) => message)))
        await using (var client = await MessageHost.ConnectAsync(new LiteNetTransport().At(server.Endpoint.Port)))
        {
            await RoundTripAsync(client);
            await InFlightAsync(client);
        }

        foreach (var size in s_sizes)
            await ReliableAsync(size);
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

        Report("litenet.roundtrip.ratio", "ratio", ratios, 1.2);
        Report("litenet.roundtrip.floor.us", "us", floor);
        Report("litenet.roundtrip.us", "us", ours);
    }

    /// <summary>Compares awaited requests with awaited packets of LiteNetLib, with the same number in flight.</summary>
    private async Task InFlightAsync(MessageClient client)
    {
        using var bare = new BareLiteNet(InFlight);
        var (floor, ours, ratios) = (new List<double>(), new List<double>(), new List<double>());
        for (var round = -2; round < Rounds; round++)
        {
            var bareRate = await bare.AskAsync(s_time);
            var rate = await Asking.OursAsync([client], InFlight, s_time);
            if (round < 0)
                continue;
            floor.Add(bareRate);
            ours.Add(rate);
            ratios.Add(rate / bareRate);
        }

        Report("litenet.requests.ratio", "ratio", ratios, 1.2, isAtLeast: true);
        Report("litenet.requests.floor.rate", "messages/s", floor);
        Report("litenet.requests.rate", "messages/s", ours, 300_000, isAtLeast: true);
        Report("litenet.alloc", "B", await Asking.AllocatedAsync([client], InFlight), 0);
    }

    /// <summary>Measures received events per second, from one sender that waits when the host is full.</summary>
    private async Task OneWayAsync(DeliveryMethod method)
    {
        await using var sending = await OneWay.OpenAsync(sizeof(long) * 3, new LiteNetDelivery(method));
        var (rates, arrived) = (new List<double>(), new List<double>());
        for (var round = -1; round < Rounds; round++)
        {
            var (rate, share) = await sending.RunAsync(s_time);
            if (round < 0)
                continue;
            rates.Add(rate);
            arrived.Add(share);
        }

        Report($"litenet.oneway.{method}.rate", "messages/s", rates);
        Report($"litenet.oneway.{method}.arrived", "ratio", arrived);
    }

    /// <summary>Compares reliable, ordered events in one direction with LiteNetLib alone, which sends at once. Its receiver acknowledges at its next update, or at once.</summary>
    private async Task ReliableAsync(int size)
    {
        await using var sending = await OneWay.OpenAsync(size, LiteNetDelivery.InOrder);
        using var delayed = new BareLiteNet();
        using var triggered = new BareLiteNet(messagesToAcknowledge: 16);
        var (ours, slow, fast, ratios, triggeredRatios) = (new List<double>(), new List<double>(), new List<double>(), new List<double>(), new List<double>());
        for (var round = -1; round < Rounds; round++)
        {
            var slowRate = delayed.Send(size, s_time);
            var fastRate = triggered.Send(size, s_time);
            var (rate, _) = await sending.RunAsync(s_time);
            if (round < 0)
                continue;
            slow.Add(slowRate);
            fast.Add(fastRate);
            ours.Add(rate);
            ratios.Add(rate / slowRate);
            triggeredRatios.Add(rate / fastRate);
        }

        var name = $"litenet.oneway.reliable.{size}";
        Report($"{name}.ratio", "ratio", ratios, 1, isAtLeast: true);
        Report($"{name}.triggered.ratio", "ratio", triggeredRatios, 1, isAtLeast: true);
        Report($"{name}.floor.rate", "messages/s", slow);
        Report($"{name}.triggered.floor.rate", "messages/s", fast);
        Report($"{name}.rate", "messages/s", ours);
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
