using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests;

/// <summary>A C# process with a server. It ends when its input does.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private readonly Process _process;

    private ServerProcess(Process process, string ready) => (_process, Ready) = (process, ready);

    /// <summary>The last word of the line by which the process says that it is ready.</summary>
    public string Ready { get; }

    /// <summary>The folder of the server of all clients' tests, from that of the repository.</summary>
    public const string Peer = "Reloaded.Messaging.Tests/Reloaded.Messaging.Tests.PeerProcess";

    /// <param name="project">The folder of the project, from that of the repository.</param>
    /// <param name="environment">Variables of the environment.</param>
    /// <param name="arguments">The arguments.</param>
    public static async Task<ServerProcess> StartAsync(string project, (string Name, string Value)[] environment, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", [Programs.Built(project), .. arguments]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        foreach (var (variable, value) in environment)
            start.Environment[variable] = value;
        var process = Process.Start(start)!;
        while (await process.StandardOutput.ReadLineAsync().WaitAsync(Deadline.Length) is { } line)
        {
            if (line.StartsWith("ready", StringComparison.Ordinal))
            {
                _ = process.StandardOutput.ReadToEndAsync(); // so that the process never waits for a reader
                return new ServerProcess(process, line.Split(' ')[^1]);
            }
        }

        throw new InvalidOperationException($"{project} ended before it was ready.");
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync().WaitAsync(Deadline.Length);
        _process.Dispose();
    }
}
