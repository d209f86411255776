using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading.Tasks;

namespace Fleet;

/// <summary>A process of the fleet, and the spans that it prints.</summary>
public sealed class FleetProcess : IDisposable
{
    private readonly string[] _arguments;
    private readonly Process _process;
    private readonly ConcurrentQueue<Span> _spans;
    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _reading;

    private FleetProcess(string[] arguments, ConcurrentQueue<Span> spans)
    {
        (_arguments, _spans) = (arguments, spans);
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
            start.ArgumentList.Add(Assembly.GetExecutingAssembly().Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        _process = Process.Start(start)!;
        _reading = ReadAsync();
    }

    public int Id => _process.Id;

    /// <summary>Starts a process, and waits until it is ready.</summary>
    public static async Task<FleetProcess> StartAsync(ConcurrentQueue<Span> spans, params string[] arguments)
    {
        var process = new FleetProcess(arguments, spans);
        await process._ready.Task;
        return process;
    }

    /// <summary>Ends the process without closing its connections.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <summary>Starts a process with the same arguments.</summary>
    public Task<FleetProcess> StartAgainAsync() => StartAsync(_spans, _arguments);

    public async Task StopAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync();
        await _reading;
    }

    public void Dispose() => _process.Dispose();

    private async Task ReadAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync() is { } line)
        {
            if (line == "ready")
                _ready.TrySetResult();
            else if (MatchTrace.Read(line) is { } span)
                _spans.Enqueue(span);
        }

        _ready.TrySetException(new InvalidOperationException($"The process '{string.Join(' ', _arguments)}' ended before it was ready. Its output on standard error has the reason."));
    }
}
