using System.Globalization;
using System.Text.Json;
using Examples;
using Reloaded.Messaging.Benchmarks.Links;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Game.Players;

/// <summary><c>players [SECONDS [PLAYERS]]</c>: the world of <c>Examples/GameServer</c> over an emulated path, by TCP of the system, UDP and LiteNetLib.</summary>
/// <remarks>
/// The processes of the server and of the players are in two network namespaces, so each protocol has the same path with the same losses. The loss of a packet
/// of TCP is repaired by the TCP of the system. All players share the path, whose rate is that of one player times their number.
/// </remarks>
public static class PlayersRun
{
    public const string Verb = "players";

    public const int MaxPlayers = 1000;

    private const double Loss = 0.02;
    private const double RateOfEach = 20e6;

    private static readonly TimeSpan s_roundTrip = TimeSpan.FromMilliseconds(50);

    public static async Task<int> RunAsync(string[] args)
    {
        var (seconds, players) = (20, 500);
        if (args.Length > 2 || (args.Length > 0 && !TryParse(args[0], out seconds)) || (args.Length > 1 && !TryParse(args[1], out players)))
        {
            Console.Error.WriteLine($"Usage: {Verb} [SECONDS [PLAYERS]] (1 to {MaxPlayers} each; 20 and 500 by default)");
            return 2;
        }

        if (EmulatedLink.Missing is { } missing)
        {
            Console.Error.WriteLine(missing);
            return 2;
        }

        Console.WriteLine($"{players} players for {seconds} s over a path with a round trip of {s_roundTrip.TotalMilliseconds} ms, which loses {100 * Loss} % of the packets in each direction and carries {RateOfEach / 1e6} Mbit/s for each player; all encrypted, on {Environment.ProcessorCount} cores, which the path shares.");
        var table = new Table("transport", "entered in s", "players left", "ticks/s", "tick p99 ms", "updates/s", "of 99 of 100", "longest pause ms", "request p50 ms", "request p99 ms", "server cores", "player cores");
        foreach (var transport in (string[])[PathPeer.Tcp, PathPeer.Ours, PathPeer.LiteNet])
            await MeasureAsync(transport, seconds, players, table);
        table.Print("The longest pause between two updates is that of 99 of 100 players.");
        return 0;
    }

    private static async Task MeasureAsync(string transport, int seconds, int players, Table table)
    {
        var rate = RateOfEach * players;
        using var link = new EmulatedLink(new LinkOptions("players", s_roundTrip, Loss, rate, (int)Math.Min(int.MaxValue, rate / 8 * 0.2))); // 200 ms of the rate wait
        using var server = OtherProcess.StartIn(link.Namespaces[1], PlayersServer.Verb, transport);
        if ((await server.ReadAsync()).Split(' ') is not [var port, var token, var key])
            throw new InvalidOperationException("The server did not print its port, token and key.");
        var entering = TimeProvider.System.GetTimestamp();
        using var bots = OtherProcess.StartIn(link.Namespaces[0], PlayersBots.Verb, transport, port, token, key, players.ToString(CultureInfo.InvariantCulture));
        await bots.ReadAsync();
        var entered = TimeProvider.System.GetElapsedTime(entering);
        await Task.Delay(2000); // code is compiled, and paths are known
        await bots.AskAsync("");
        var before = await AskAsync(server);
        var (start, ofServer, ofBots) = (TimeProvider.System.GetTimestamp(), server.ProcessorTime, bots.ProcessorTime);
        await Task.Delay(TimeSpan.FromSeconds(seconds));
        var (elapsed, cores, playerCores) = (TimeProvider.System.GetElapsedTime(start), server.ProcessorTime - ofServer, bots.ProcessorTime - ofBots);
        var after = await AskAsync(server);
        var view = JsonSerializer.Deserialize<PlayersView>(await bots.AskAsync(""))!;
        table.Add(
            transport,
            $"{entered.TotalSeconds:N1}",
            $"{after[0]:N0}",
            $"{(after[1] - before[1]) / elapsed.TotalSeconds:N1}",
            $"{after[2]:N1}",
            $"{view.Median:N1}",
            $"{view.Low:N1}",
            $"{view.Pause:N0}",
            $"{Percentile(view.Requests, 50):N0}",
            $"{Percentile(view.Requests, 99):N0}",
            $"{cores / elapsed:N2}",
            $"{playerCores / elapsed:N2}");
    }

    private static async Task<double[]> AskAsync(OtherProcess server) =>
        Array.ConvertAll((await server.AskAsync("")).Split(' '), static number => double.Parse(number, CultureInfo.InvariantCulture));

    private static double Percentile(double[] sorted, int percent) => sorted.Length == 0 ? double.NaN : sorted[(sorted.Length - 1) * percent / 100];

    private static bool TryParse(string text, out int value) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value is >= 1 and <= MaxPlayers;
}
