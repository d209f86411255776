using System.Diagnostics;
using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>A game: a process of its own with a server in it.</summary>
internal sealed class GameProcess : IDisposable
{
    /// <summary>The command of a game on another runtime, from RELOADED_MESSAGING_GAME; empty for the game of these tests.</summary>
    private static readonly string[] s_other = (Environment.GetEnvironmentVariable("RELOADED_MESSAGING_GAME") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private readonly Process _process;

    private GameProcess(Process process, string name, string said)
    {
        _process = process;
        Said = said;
        Endpoint = MessageEndpoint.OfProcess(process.Id, name);
    }

    /// <summary>Whether games run on another runtime.</summary>
    public static bool IsOther => s_other.Length > 0;

    public MessageEndpoint Endpoint { get; }

    public int Id => _process.Id;

    /// <summary>What it said after that it is ready, if anything.</summary>
    public string Said { get; }

    /// <summary>Starts one; its server listens when the task is done.</summary>
    /// <param name="name">The name of its server.</param>
    /// <param name="more">What else it is told, if it is to be another than the one that answers questions.</param>
    public static async Task<GameProcess> StartAsync(string name, params string[] more)
    {
        var host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        var own = Path.ChangeExtension(GameProgram.Path, ".exe"); // of a self-contained publish, beside which there need be no dotnet
        var start = s_other.Length > 0 ? new ProcessStartInfo(s_other[0], [.. s_other[1..], name, .. more])
            : OperatingSystem.IsWindows() && File.Exists(own) ? new ProcessStartInfo(own, [name, .. more]) : new ProcessStartInfo(host, [GameProgram.Path, name, .. more]);
        (start.RedirectStandardInput, start.RedirectStandardOutput) = (true, true);
        start.Environment["DOTNET_TieredPGO"] = "0"; // it lives for a moment only
        var process = Process.Start(start)!;
        var line = await process.StandardOutput.ReadLineAsync().WaitAsync(IsOther ? TimeSpan.FromMinutes(3) : Deadline.Length); // another runtime may be emulated
        Assert.StartsWith("ready", line, StringComparison.Ordinal);
        return new GameProcess(process, name, line!["ready".Length..]);
    }

    /// <summary>Ends it as a crash does: nothing of it runs any more.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().InTime();
    }

    /// <summary>Has it end by itself.</summary>
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
