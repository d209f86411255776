using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading.Tasks;
using GameConsole;
using Reloaded.Messaging.Hosting;

// A console inside of a game, used by a tool in another process: commands stream in, lines stream out, a long command shows its progress, and can be canceled.
switch (args)
{
    case ["game", var name]:
        return Game.Run(name); // on the main thread of the process
    case ["tool", var name]:
        return await PromptAsync(name);
    case []:
        return await DemonstrateAsync();
    default:
        Console.Error.WriteLine(
            """
            Usage: GameConsole             a game and a tool in two processes, step by step
                   GameConsole game NAME   a game; it ends when its input does
                   GameConsole tool NAME   a tool for this game: spawn CREATURE, list, bake MAP; Ctrl+C cancels a bake
            """);
        return 2;
}

static async Task<int> PromptAsync(string name)
{
    await using var tool = await Tool.ConnectAsync(name);
    Console.CancelKeyPress += (_, pressed) =>
    {
        pressed.Cancel = tool.Baking is not null; // otherwise, the tool ends
        tool.Baking?.Cancel();
    };
    while (Console.ReadLine() is { } line)
    {
        if (line.Split(' ', 2) is ["bake", var map])
            await tool.BakeAsync(map);
        else
            tool.Send(line);
    }

    return 0;
}

static async Task<int> DemonstrateAsync()
{
    var name = $"game-console-{Environment.ProcessId}";
    var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
    if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        start.ArgumentList.Add(Assembly.GetExecutingAssembly().Location);
    start.ArgumentList.Add("game");
    start.ArgumentList.Add(name);
    using var game = Process.Start(start)!;
    await game.StandardOutput.ReadLineAsync(); // ready
    try
    {
        var isRight = false;
        await using (var tool = await Tool.ConnectAsync(name))
        {
            Console.WriteLine($"Tool in process {Environment.ProcessId}, game in process {game.Id}.");
            var (walks, list) = (tool.WaitForAsync("walks"), tool.WaitForAsync("2 creatures"));
            foreach (var command in (string[])["spawn goblin", "spawn dragon", "list", "sing"])
            {
                ProgressLine.Print($"tool> {command}");
                tool.Send(command);
            }

            await Task.WhenAll(list, walks);
            ProgressLine.Print("tool> bake castle");
            var castle = await tool.BakeAsync("castle");
            ProgressLine.Print("tool> bake world");
            var canceled = tool.WaitForAsync("was canceled");
            var world = await tool.BakeAsync("world", cancelAt: 50); // as Ctrl+C does
            await canceled;
            isRight = castle is (100, true) && world is ( >= 50 and < 100, false);
        }

        game.StandardInput.Close();
        await game.WaitForExitAsync();
        isRight &= game.ExitCode == 0;
        Console.WriteLine(isRight ? "All steps had the expected result." : "A STEP HAD AN UNEXPECTED RESULT.");
        Console.WriteLine("Next: docs/services-and-streams.md, or dotnet run -c Release --project Examples/GameServer");
        return isRight ? 0 : 1;
    }
    finally
    {
        if (!game.HasExited)
            game.Kill();
    }
}
