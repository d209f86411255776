using System;
using System.Globalization;
using System.IO;
using System.Linq;
using ModLoader;
using ModLoader.Demo;
using ModLoader.Game;
using ModLoader.Tool;

// A tool outside a game communicates with a server inside the game. One command runs the two processes, or each command runs one.
const string Name = "mod-loader";
switch (args)
{
    case []:
        return await Demonstration.RunAsync();
    case ["game", .. var rest] when rest.Length <= 2 && rest.Take(1).All(Directory.Exists):
        return GameLoop.Run(rest.ElementAtOrDefault(0) ?? ModFile.Samples, rest.ElementAtOrDefault(1) ?? Name); // on the main thread of the process
    case ["tool", var id] when int.TryParse(id, CultureInfo.InvariantCulture, out var processId) && processId > 0:
        return await ToolPrompt.RunAsync(processId, Name);
    default:
        var isHelp = args is ["--help" or "-h"];
        (isHelp ? Console.Out : Console.Error).WriteLine(
            """
            Usage: ModLoader                        a game and a tool in two processes, step by step
                   ModLoader game [FOLDER [NAME]]   a game that has the mods of a folder; it ends when its input does
                   ModLoader tool PID               a tool for the game in that process
            """);
        return isHelp ? 0 : 2;
}
