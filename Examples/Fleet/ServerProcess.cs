using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading.Tasks;

namespace Fleet;

/// <summary>A game server in a separate process.</summary>
public sealed class ServerProcess(string name, int port) : IDisposable
{
    private Process? _process;

    public string Name => name;

    public int Id => _process!.Id;

    public async Task StartAsync()
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
            start.ArgumentList.Add(Assembly.GetExecutingAssembly().Location);
        start.ArgumentList.Add("server");
        start.ArgumentList.Add(name);
        start.ArgumentList.Add($"{port}");
        _process = Process.Start(start)!;
        if (await _process.StandardOutput.ReadLineAsync() != "ready")
            throw new InvalidOperationException($"The server {name} ended before it was ready. Its output on standard error has the reason.");
    }

    /// <summary>Ends the process without closing its connections.</summary>
    public async Task KillAsync()
    {
        _process!.Kill();
        await _process.WaitForExitAsync();
    }

    public async Task StopAsync()
    {
        _process!.StandardInput.Close();
        await _process.WaitForExitAsync();
    }

    public void Dispose() => _process?.Dispose();
}
