using System.Diagnostics;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>A game on .NET: a process with a server in it.</summary>
internal sealed class GameProcess : IDisposable
{
    private readonly Process _process;

    private GameProcess(Process process, string name)
    {
        _process = process;
        Endpoint = MessageEndpoint.OfProcess(process.Id, name);
    }

    /// <summary>Whether games run on another runtime than the usual one of these tests.</summary>
    public static bool IsOther => false;

    public MessageEndpoint Endpoint { get; }

    public int Id => _process.Id;

    /// <summary>Starts a game. Its server listens when the task completes.</summary>
    /// <param name="name">The name of its server.</param>
    public static async Task<GameProcess> StartAsync(string name)
    {
        var program = Environment.GetEnvironmentVariable("RELOADED_MESSAGING_PEER_PROCESS")
            ?? throw new InvalidOperationException("RELOADED_MESSAGING_PEER_PROCESS is not set. Set it to the path of Reloaded.Messaging.Tests.PeerProcess.dll.");
        var start = new ProcessStartInfo("dotnet", $"{program} {name}") { RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false };
        start.Environment["DOTNET_TieredPGO"] = "0"; // it lives for a moment only
        var process = Process.Start(start)!;
        var line = await process.StandardOutput.ReadLineAsync().InTime();
        Assert.StartsWith("ready", line, StringComparison.Ordinal);
        return new GameProcess(process, name);
    }

    /// <summary>Ends the game as a crash does.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().InTime();
    }

    /// <summary>Makes the game end by itself.</summary>
    public async Task QuitAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync().InTime();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.Dispose();
    }
}
