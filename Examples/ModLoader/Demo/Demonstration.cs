using System;
using System.Diagnostics;
using System.Threading.Tasks;
using ModLoader.Messaging;
using ModLoader.Tool;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Demo;

/// <summary>A tool, which is this process, and a game, which is another, step by step; then the game is killed and started again.</summary>
public static class Demonstration
{
    private const int ExpectedFaults = 4;

    private static readonly string[] s_commands =
    [
        "load example.remote.server", // refused: what it needs isn't loaded
        "load example.sharedlib.hooks",
        "load example.remote.server",
        "load example.small",
        "suspend example.small",
        "unload example.sharedlib.hooks", // refused: it is needed
        "resume example.small",
        "unload example.small",
        "load example.voices.original", // fails: what it needs is nowhere
        "load example.of.nobody",
    ];

    /// <returns>The exit code: 1 if anything came out otherwise than it should.</returns>
    public static async Task<int> RunAsync()
    {
        var whole = Stopwatch.StartNew();
        using var mods = new ThirtyMods();
        var name = $"mod-loader-{Environment.ProcessId}"; // of its own, so that two may be shown at once
        using var first = await GameProcess.StartAsync(mods.Folder, name);
        var attempts = 0;
        await using var tool = await ModTool.ConnectAsync(first.Id, name, attempt => attempts = attempt.Number);
        Console.WriteLine($"Tool in process {Environment.ProcessId}, game in process {first.Id}, over {tool.Client.Server.RemoteName}.");
        Console.WriteLine();

        var console = new ToolConsole(tool);
        await console.ListAsync();
        foreach (var command in s_commands)
            await console.RunAsync(command);
        await console.ListAsync();

        var watch = new Stopwatch();
        var back = new TaskCompletionSource<TimeSpan>(TaskCreationOptions.RunContinuationsAsynchronously);
        tool.Client.PeerDisconnected += (_, reason) =>
        {
            if (reason != DisconnectReason.Requested)
                Console.WriteLine($"The tool noticed after {watch.Elapsed.TotalMilliseconds:N0} ms: {reason}. It looks for the game.");
        };
        tool.Client.PeerConnected += _ => back.TrySetResult(watch.Elapsed);
        Console.WriteLine($"The game, process {first.Id}, is killed.");
        watch.Start();
        await first.KillAsync();
        var asked = console.ListAsync(); // there is no game to answer
        using var second = await GameProcess.StartAsync(mods.Folder, name);
        Console.WriteLine($"The game is started again, as process {second.Id}, after {watch.Elapsed.TotalMilliseconds:N0} ms.");
        var reconnected = await back.Task.WaitAsync(tool.Client.Options.RequestTimeout);
        Console.WriteLine($"The tool is connected again after {reconnected.TotalMilliseconds:N0} ms, by attempt {attempts}. What it had asked meanwhile:");
        var answering = await asked;
        await console.RunAsync("load example.sharedlib.hooks");
        await tool.DisposeAsync();
        var exitCode = await second.QuitAsync();

        var isRight = answering == second.Id && console is { Faults: ExpectedFaults, Failed: 0 } && console.Acknowledged == s_commands.Length - ExpectedFaults + 1 && exitCode == 0;
        Console.WriteLine();
        Console.WriteLine($"{console.Acknowledged} changes acknowledged, {console.Faults} faults as there should be, {console.Failed} requests lost; {tool.Client.Reconnects} reconnect, from process {first.Id} to {answering}.");
        Console.WriteLine($"{(isRight ? "All went as it should" : "SOMETHING WENT WRONG")}, in {whole.Elapsed.TotalSeconds:F1} s.");
        return isRight ? 0 : 1;
    }
}
