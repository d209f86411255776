using System;
using System.Linq;
using Examples;
using GameServer.Bots;

namespace GameServer.Display;

/// <summary>Prints what players saw over a bad path.</summary>
internal static class PlayerTable
{
    public static void Print(PlayerView[] views)
    {
        var table = new Table("player", "round trip ms", "jitter ms", "lost in %", "lost out %", "updates/s", "longest pause ms");
        var sorted = views.OrderBy(static view => view.LongestPause).ToArray();
        table.Add(Row("calm", sorted[0]));
        table.Add(Row("median", sorted[sorted.Length / 2]));
        table.Add(Row("unlucky", sorted[^1]));
        table.Print("What players saw");

        static string[] Row(string name, PlayerView view) =>
        [
            name,
            $"{view.Path.RoundTripTime.TotalMilliseconds:N0}",
            $"{view.Path.Jitter.TotalMilliseconds:N0}",
            $"{100 * (view.Path.ReceivedLossShare ?? 0):N1}",
            $"{100 * (view.Path.SentLossShare ?? 0):N1}",
            $"{view.UpdatesPerSecond:N0}",
            $"{view.LongestPause.TotalMilliseconds:N0}",
        ];
    }
}
