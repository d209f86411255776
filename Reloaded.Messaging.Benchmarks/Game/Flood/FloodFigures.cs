using System.IO;
using System.Security.Cryptography;
using GameServer.Bots;
using GameServer.Worlds;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Flood;

/// <summary>Measures the duration of ticks of the example's world with three abusive players, and without them, alternately.</summary>
public sealed class FloodFigures
{
    private const int Rounds = 3;
    private const int Creatures = 200;
    private const int Players = 40;

    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(3.5);

    private readonly List<double> _without = [];
    private readonly List<double> _with = [];
    private readonly List<double> _ratios = [];
    private readonly List<double> _dropped = [];

    public void Measure(TickFigures.ReportFigure report)
    {
        MeasureAsync().GetAwaiter().GetResult();
        report("flood.tick.p99.ratio", "ratio", _ratios, 2);
        report("flood.floor.tick.p99.ms", "ms", _without, null);
        report("flood.tick.p99.ms", "ms", _with, null);
        report("flood.dropped.rate", "messages/s", _dropped, null);
    }

    private async Task MeasureAsync()
    {
        var token = RandomNumberGenerator.GetBytes(32);
        var protection = ProtectionOptions.WithServerKeyFile(Path.Combine(AppContext.BaseDirectory, "server.pem"), createIfMissing: true);
        var players = Bot.OptionsFor(token, protection.ServerKey!);
        await using var server = await WorldServer.StartAsync(MessageEndpoint.Tcp(0), Creatures, token, protection, TimeSpan.FromSeconds(2));
        await using var crowd = new Crowd();
        await crowd.EnterAsync(server.Host.Endpoint, players, Players);
        await TroubleAsync(server, players); // so that all code is compiled
        for (var round = 0; round < Rounds; round++)
        {
            var isTroubleFirst = round % 2 == 1;
            var first = isTroubleFirst ? await TroubleAsync(server, players) : await WatchAsync(server);
            var second = isTroubleFirst ? await WatchAsync(server) : await TroubleAsync(server, players);
            _without.Add(isTroubleFirst ? second : first);
            _with.Add(isTroubleFirst ? first : second);
            _ratios.Add(_with[^1] / _without[^1]);
        }

        _dropped.RemoveAt(0);
        await crowd.StopAsync();
        Check(server);
    }

    /// <returns>The 99th percentile of the tick durations, in milliseconds.</returns>
    private async Task<double> TroubleAsync(WorldServer server, MessageHostOptions players)
    {
        await using var troublemakers = new Troublemakers(server, players);
        troublemakers.Start();
        var before = server.Host.GetStatistics().OverMessageRate;
        var percentile = await WatchAsync(server);
        _dropped.Add((server.Host.GetStatistics().OverMessageRate - before) / (s_settling + s_window).TotalSeconds);
        return percentile;
    }

    private static async Task<double> WatchAsync(WorldServer server)
    {
        await Task.Delay(s_settling);
        server.Times.Clear();
        await Task.Delay(s_window);
        return server.Times.Percentile(0.99);
    }

    /// <summary>Checks that each of the three players was handled by its rule and no other player was. Otherwise the measurement is invalid.</summary>
    private static void Check(WorldServer server)
    {
        var host = server.Host;
        var (dropped, malformed, silent) = (host.GetStatistics().OverMessageRate, host.GetCount(DisconnectReason.Malformed), host.GetCount(DisconnectReason.NotResponding));
        if (dropped == 0 || malformed == 0 || silent == 0 || host.AllPeers.Count != Players || server.Failure is not null)
        {
            throw new InvalidOperationException(
                $"flood: {dropped} messages were dropped, {malformed} players were disconnected for invalid messages and {silent} for not reading, and {host.AllPeers.Count} of {Players} players are connected. Each of the first three numbers must be greater than 0, and all players must be connected.",
                server.Failure);
        }
    }
}
