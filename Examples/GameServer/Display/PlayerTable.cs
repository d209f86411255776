using System;
using System.Linq;
using Examples;
using GameServer.Bots;

namespace GameServer.Display;

/// <summary>Prints what players saw.</summary>
internal static class PlayerTable
{
    public static void Print(PlayerView[] views)
    {
        var table = new Table("of the players", "updates/s", "longest pause ms", "longest request ms", "round trip ms", "lost %");
        foreach (var (name, part) in new[] { ("the best", 0), ("half", 0.5), ("99 of 100", 0.99), ("all", 1) })
        {
            table.Add(
                name,
                $"{At(static view => -view.Updates) * -1:N0}",
                $"{At(static view => view.LongestPause):N0}",
                $"{At(static view => view.Requests.DefaultIfEmpty().Max()):N0}",
                $"{At(static view => view.RoundTrip):N0}",
                $"{At(static view => 100 * view.LostIn):N1}");

            double At(Func<PlayerView, double> value) => views.Select(value).Order().ElementAt((int)((views.Length - 1) * part));
        }

        table.Print("What players saw: at least so many updates, and at most so much of the rest");
    }
}
