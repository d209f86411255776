using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Examples;

namespace ModLoader.Demo;

/// <summary>The game in a separate process. It runs this program again, from its dll or its executable.</summary>
public sealed class GameProcess : IDisposable
{
    private readonly Process _process;
    private Task _printing = Task.CompletedTask;

    private GameProcess(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>Starts the game. The task completes when the game's server listens.</summary>
    public static async Task<GameProcess> StartAsync(string folder, string name)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
            start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, "ModLoader.dll"));
        start.ArgumentList.Add("game");
        start.ArgumentList.Add(folder);
        start.ArgumentList.Add(name);
        var game = new GameProcess(Process.Start(start)!);
        while (true)
        {
            if (await game._process.StandardOutput.ReadLineAsync() is not { } line)
            {
                game.Dispose();
                throw new InvalidOperationException("The game ended before it was ready. The lines above have the reason.");
            }

            if (line.StartsWith("ready", StringComparison.Ordinal))
                break;
            if (!line.StartsWith("Watch", StringComparison.Ordinal)) // the demonstration ends sooner than a person starts the tool
                game.Print(line);
        }

        game._printing = game.PrintAsync();
        return game;
    }

    /// <summary>Ends the process without closing its connections.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
        await _printing;
    }

    /// <returns>The exit code of the game.</returns>
    public async Task<int> QuitAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync();
        await _printing;
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.Dispose();
    }

    private async Task PrintAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync() is { } line)
            Print(line);
    }

    private void Print(string line) => Screen.WriteLine($"    game {Id}: {line}", line.Contains("failed", StringComparison.Ordinal) ? Tone.Fault : Tone.Dim);
}
