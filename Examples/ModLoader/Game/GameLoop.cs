using System;
using System.Threading;
using System.Threading.Tasks;
using ModLoader.Messaging;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Game;

/// <summary>A game without content: its main thread waits for the next frame, handles the tools' requests for a part of the frame, and updates the mods.</summary>
public static class GameLoop
{
    private static readonly TimeSpan s_frame = TimeSpan.FromMilliseconds(16);
    private static readonly TimeSpan s_budget = TimeSpan.FromMilliseconds(2);

    /// <summary>Runs until the standard input ends, and therefore no longer than the process that started it.</summary>
    /// <returns>The exit code.</returns>
    public static int Run(string folder, string name)
    {
        var warmUp = MessageHost.WarmUpAsync(); // while the mods are loaded, so that the first frames do not wait for it
        var mods = new Mods(ModFile.ReadAll(folder, Console.WriteLine));
        var server = ModServer.ListenAsync(mods, name).GetAwaiter().GetResult(); // no await, so that the rest stays on this thread
        server.HandlerFailed += static failure => Console.WriteLine($"A handler failed: {failure.Exception.GetType().Name}: {failure.Exception.Message}");
        warmUp.GetAwaiter().GetResult();
        using var isOver = new ManualResetEventSlim();
        _ = Task.Run(() =>
        {
            Console.In.ReadToEnd();
            isOver.Set();
        });

        Console.WriteLine($"Watch it: dotnet run -c Release --project Source/Reloaded.Messaging.Tool -- watch {Environment.ProcessId} --name {name}");
        Console.WriteLine($"ready: process {Environment.ProcessId}");
        while (!isOver.Wait(s_frame))
        {
            server.Pump(PumpBudget.Time(s_budget));
            mods.Update();
        }

        server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        return 0;
    }
}
