using System.Diagnostics;
using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Reconnecting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Discovery;

public sealed class FileLockTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("rm-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Server_in_a_process_without_file_locks_is_refused()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows itself locks files.");

        var line = await StartAsync(new() { ["DOTNET_SYSTEM_IO_DISABLEFILELOCKING"] = "1", ["XDG_RUNTIME_DIR"] = _folder });

        Assert.StartsWith("refused", line, StringComparison.Ordinal);
        Assert.Contains("not lock files", line, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(_folder, "*", SearchOption.AllDirectories));
    }

    [Fact]
    public async Task Server_without_a_temporary_folder_listens_in_its_runtime_folder()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no runtime folder.");

        var line = await StartAsync(new() { ["TMPDIR"] = Path.Combine(_folder, "missing"), ["XDG_RUNTIME_DIR"] = _folder });

        Assert.Equal("ready", line);
    }

    [Fact]
    public async Task Server_whose_runtime_folder_denies_access_throws_InvalidOperationException()
    {
        Assert.SkipUnless(Directory.Exists("/sys"), "This system has no folder that denies every user to write.");

        var line = await StartAsync(new() { ["XDG_RUNTIME_DIR"] = "/sys" });

        Assert.StartsWith("invalid: The server can't be published", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Socket_whose_lock_denies_access_throws_InvalidOperationException()
    {
        var path = Path.Combine(_folder, "s");
        Directory.CreateDirectory(path + ".lock");

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Unix(path)));

        Assert.Contains("lock can't be opened", refusal.Message, StringComparison.Ordinal);
    }

    /// <summary>Starts a server in another process.</summary>
    /// <returns>The first line that it writes.</returns>
    private static async Task<string?> StartAsync(Dictionary<string, string> environment)
    {
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [GameProgram.Path, "locks"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        foreach (var (name, value) in environment)
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        try
        {
            return await process.StandardOutput.ReadLineAsync().InTime();
        }
        finally
        {
            process.Kill();
            await process.WaitForExitAsync().InTime();
        }
    }
}
