using System.Globalization;
using System.Linq;
using System.Text.Json;
using GameServer.Bots;

namespace Reloaded.Messaging.Benchmarks.Game.Players;

/// <summary>What the players of <see cref="PlayersRun"/> saw. Times are in milliseconds.</summary>
/// <param name="Median">The updates per second of half of the players, at least.</param>
/// <param name="Low">The updates per second of 99 of 100 players, at least.</param>
/// <param name="Pause">The longest pause between two updates of 99 of 100 players, at most.</param>
/// <param name="Requests">The times of all requests, sorted.</param>
public sealed record PlayersView(double Median, double Low, double Pause, double[] Requests);

/// <summary>The bots of <see cref="PlayersRun"/>, in their own process before the emulated path.</summary>
public static class PlayersBots
{
    public const string Verb = "players-bots";

    /// <summary>Prints a line when all bots have entered. Replies to each line with a <see cref="PlayersView"/> of the time since the last line.</summary>
    public static async Task RunAsync(string[] arguments)
    {
        await using var crowd = new Crowd();
        await crowd.EnterAsync(
            PlayersServer.At(arguments[0], int.Parse(arguments[1], CultureInfo.InvariantCulture)),
            Bot.OptionsFor(Convert.FromHexString(arguments[2]), arguments[3]),
            int.Parse(arguments[4], CultureInfo.InvariantCulture));
        Console.WriteLine();
        while (await Task.Run(Console.In.ReadLine) is not null) // the asynchronous read of a console blocks
            Console.WriteLine(JsonSerializer.Serialize(ViewOf(crowd.Look())));
    }

    private static PlayersView ViewOf(PlayerView[] players)
    {
        double[] updates = [.. players.Select(static player => player.Updates).Order()];
        double[] pauses = [.. players.Select(static player => player.LongestPause).Order()];
        return new PlayersView(updates[updates.Length / 2], updates[updates.Length / 100], pauses[pauses.Length * 99 / 100], [.. players.SelectMany(static player => player.Requests).Order()]);
    }
}
