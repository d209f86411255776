using System;
using System.Threading.Tasks;
using ModLoader.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Tool;

/// <summary>Runs only the tool: reads one command per line until the standard input ends.</summary>
public static class ToolPrompt
{
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(int processId, string name)
    {
        Console.WriteLine("Commands: list, load ID, unload ID, suspend ID, resume ID");
        await using var tool = await ModTool.ConnectAsync(processId, name, static attempt =>
        {
            if (attempt.Number == 1)
                Console.WriteLine($"{attempt.Failure.Message} Waiting for a game.");
        });
        Console.WriteLine("Connected.");
        tool.PeerConnected += static _ => Console.WriteLine("Connected again.");
        var console = new ToolConsole(tool);
        while (Console.ReadLine() is { } command)
        {
            try
            {
                if (command == "list")
                    await console.ListAsync();
                else
                    await console.RunAsync(command);
            }
            catch (Exception e) when (e is ArgumentException or TimeoutException or RequestFailedException or RequestFaultException)
            {
                Console.WriteLine(e.Message);
            }
        }

        return 0;
    }
}
