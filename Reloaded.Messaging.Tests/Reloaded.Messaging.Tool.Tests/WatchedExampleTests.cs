using System.Diagnostics;
using System.IO;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The game of Examples/ModLoader, which prints the line that watches it.</summary>
public sealed partial class WatchedExampleTests
{
    [Fact]
    public async Task Game_of_the_first_example_prints_the_line_that_watches_it()
    {
        var program = Path.Combine(RepositoryFolder.FullName, "Examples", "ModLoader", "bin", "Release", "net10.0", "ModLoader.dll");
        var start = new ProcessStartInfo("dotnet", [program, "game", Path.Combine(Path.GetDirectoryName(program)!, "Samples"), $"watched-{Environment.ProcessId}"]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        using var game = Process.Start(start)!;
        try
        {
            var line = await game.StandardOutput.ReadLineAsync().InTime();
            var command = WatchLine().Match(line!);
            Assert.True(command.Success, line);
            Assert.True(Directory.Exists(Path.Combine(RepositoryFolder.FullName, command.Groups[1].Value)));

            var tool = await Tool.RunAsync([.. command.Groups[2].Value.Split(' '), "--count", "1"]);

            Assert.Equal((0, ""), (tool.ExitCode, tool.Error));
            Assert.NotEmpty(tool.Output);
        }
        finally
        {
            game.StandardInput.Close(); // ends the game
            await game.WaitForExitAsync().InTime();
        }

        Assert.Equal(0, game.ExitCode);
    }

    [GeneratedRegex("Watch it: dotnet run -c Release --project (\\S+) -- (.*)$")]
    private static partial Regex WatchLine();
}
