using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Examples;
using ModLoader.Messaging;
using ModLoader.Tool;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Demo;

/// <summary>Runs a tool in this process and a game in another process, step by step. Then it kills the game and starts it again.</summary>
public static class Demonstration
{
    private const int ExpectedFaults = 4;

    private static readonly string[] s_commands =
    [
        "load example.remote.server", // refused: the mod that it needs is not loaded
        "load example.sharedlib.hooks",
        "load example.remote.server",
        "load example.small",
        "suspend example.small",
        "unload example.sharedlib.hooks", // refused: another mod needs it
        "resume example.small",
        "unload example.small",
        "load example.voices.original", // fails: the mod that it needs does not exist
        "load example.of.nobody",
    ];

    /// <returns>The exit code: 0 if every step had the expected result; otherwise, 1.</returns>
    public static async Task<int> RunAsync()
    {
        var whole = Stopwatch.StartNew();
        using var mods = new ThirtyMods();
        var name = $"mod-loader-{Environment.ProcessId}"; // unique, so that two demonstrations can run at the same time
        using var first = await GameProcess.StartAsync(mods.Folder, name);
        var attempts = 0;
        await using var tool = await ModTool.ConnectAsync(first.Id, name, attempt => attempts = attempt.Number);
        Screen.WriteLine($"Tool in process {Environment.ProcessId}, game in process {first.Id}, over {tool.Server.RemoteName}.");
        Console.WriteLine();

        var console = new ToolConsole(tool);
        await console.ListAsync();
        foreach (var command in s_commands)
            await console.RunAsync(command);
        await console.ListAsync();

        var watch = new Stopwatch();
        var back = new TaskCompletionSource<TimeSpan>(TaskCreationOptions.RunContinuationsAsynchronously);
        tool.PeerDisconnected += (_, reason) =>
        {
            if (reason != DisconnectReason.Requested)
                Screen.WriteLine($"The tool detected the lost connection after {watch.Elapsed.TotalMilliseconds:N0} ms ({reason}). It searches for the game.", Tone.Fault);
        };
        tool.PeerConnected += _ => back.TrySetResult(watch.Elapsed);
        Screen.WriteLine($"Killing the game (process {first.Id}).", Tone.Fault);
        watch.Start();
        await first.KillAsync();
        var asked = console.ListAsync(); // no game is running to reply
        using var second = await GameProcess.StartAsync(mods.Folder, name);
        Screen.WriteLine($"The game runs again, as process {second.Id}, after {watch.Elapsed.TotalMilliseconds:N0} ms.", Tone.Done);
        var reconnected = await back.Task.WaitAsync(tool.Options.RequestTimeout);
        Screen.WriteLine($"The tool is connected again after {reconnected.TotalMilliseconds:N0} ms, on attempt {attempts}. The reply to the request that it sent meanwhile:", Tone.Done);
        var answering = await asked;
        await console.RunAsync("load example.sharedlib.hooks");
        await tool.DisposeAsync();
        var exitCode = await second.QuitAsync();

        var isRight = answering == second.Id && console is { Faults: ExpectedFaults, Failed: 0 } && console.Acknowledged == s_commands.Length - ExpectedFaults + 1 && exitCode == 0;
        Console.WriteLine();
        Screen.WriteLine($"{console.Acknowledged} changes were acknowledged. {console.Faults} requests ended with a fault (expected: {ExpectedFaults}). {console.Failed} requests were lost. The tool reconnected {tool.Reconnects} time, from process {first.Id} to {answering}.");
        Screen.WriteLine($"{(isRight ? "All steps had the expected result" : "A STEP HAD AN UNEXPECTED RESULT")}, in {whole.Elapsed.TotalSeconds:F1} s.", isRight ? Tone.Done : Tone.Fault);
        Screen.WriteLine("Next: docs/getting-started.md, or dotnet run -c Release --project Examples/Echo");
        return isRight ? 0 : 1;
    }
}
