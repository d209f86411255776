using System;
using System.Diagnostics;
using System.Threading.Tasks;
using ModLoader.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Demo;

/// <summary>Kills the game and starts it again, many times. The tool sends a request while no game is running, and the next game replies.</summary>
public static class RestartRun
{
    /// <returns>The exit code: 0 if each game replied to the request that was sent before it started; otherwise, 1.</returns>
    public static async Task<int> RunAsync(int restarts)
    {
        var whole = Stopwatch.StartNew();
        using var mods = new ThirtyMods();
        var name = $"mod-loader-{Environment.ProcessId}";
        var game = await GameProcess.StartAsync(mods.Folder, name);
        var replies = 0;
        long reconnects;
        try
        {
            await using var tool = await ModTool.ConnectAsync(game.Id, name);
            var loader = tool.GetService<IModLoader>();
            for (var restart = 0; restart < restarts; restart++)
            {
                await game.KillAsync();
                game.Dispose();
                var asked = loader.ListAsync();
                game = await GameProcess.StartAsync(mods.Folder, name);
                if ((await asked).ProcessId == game.Id)
                    replies++;
            }

            reconnects = tool.Reconnects;
        }
        finally
        {
            game.Dispose();
        }

        Console.WriteLine($"The game was killed and started again {restarts} times. {replies} of {restarts} requests were answered by the next game. The tool reconnected {reconnects} times, in {whole.Elapsed.TotalSeconds:F1} s.");
        return replies == restarts && reconnects == restarts ? 0 : 1;
    }
}
