using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Reconnecting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Discovery;

public sealed class FileLockTests
{
    [Fact]
    public async Task Server_in_a_process_without_file_locks_is_refused()
    {
        if (OperatingSystem.IsWindows())
            return; // the system itself locks files there

        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [GameProgram.Path, "no-locks"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        start.Environment["DOTNET_SYSTEM_IO_DISABLEFILELOCKING"] = "1";
        using var process = Process.Start(start)!;
        try
        {
            var line = await process.StandardOutput.ReadLineAsync().InTime();

            Assert.StartsWith("refused", line, StringComparison.Ordinal);
            Assert.Contains("does not lock files", line, StringComparison.Ordinal);
        }
        finally
        {
            process.Kill();
        }
    }
}
