using System;
using System.Threading;
using System.Threading.Tasks;
using GameServer.Worlds;
using Spectre.Console;

namespace GameServer.Display;

/// <summary>Shows the figures of the server while it runs: in a table that is redrawn, or in one line per second if the output is not a terminal.</summary>
public static class LiveTable
{
    public static async Task ShowAsync(WorldServer server, TimeSpan time)
    {
        if (Console.IsOutputRedirected)
            await PrintAsync(server, time);
        else
            await DrawAsync(server, time);
    }

    private static Task DrawAsync(WorldServer server, TimeSpan time)
    {
        var table = new Table().Border(TableBorder.Rounded).Title("A world with 60 ticks per second");
        foreach (var name in Reading.Names)
            table.AddColumn(new TableColumn(name).RightAligned());
        table.AddRow(new Reading(server).Since(new Reading(server)));
        return AnsiConsole.Live(table).StartAsync(async context =>
        {
            await RunAsync(server, time, TimeSpan.FromSeconds(0.25), values =>
            {
                for (var column = 0; column < values.Length; column++)
                    table.UpdateCell(0, column, values[column]);
                context.Refresh();
            });
        });
    }

    private static Task PrintAsync(WorldServer server, TimeSpan time) => RunAsync(server, time, TimeSpan.FromSeconds(1), static values =>
    {
        var line = "";
        for (var i = 0; i < values.Length; i++)
            line += $"{(i == 0 ? "" : ", ")}{Reading.Names[i]} {values[i]}";
        Console.WriteLine(line);
    });

    /// <summary>Shows the figures of each interval.</summary>
    private static async Task RunAsync(WorldServer server, TimeSpan time, TimeSpan interval, Action<string[]> show)
    {
        using var timer = new PeriodicTimer(interval);
        var last = new Reading(server);
        for (var left = time; left > TimeSpan.Zero; left -= interval)
        {
            await timer.WaitForNextTickAsync();
            var now = new Reading(server);
            show(now.Since(last));
            last = now;
        }
    }
}
