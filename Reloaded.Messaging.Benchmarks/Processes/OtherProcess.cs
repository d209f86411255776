using System.Diagnostics;
using System.IO;

namespace Reloaded.Messaging.Benchmarks.Processes;

/// <summary>This program in a separate process. It reads lines from its standard input, and replies with lines on its standard output.</summary>
/// <remarks>It must end when its standard input ends. It therefore ends with the process that started it.</remarks>
public sealed class OtherProcess : IDisposable
{
    /// <summary>The line to which a process replies with <see cref="ProcessMemory.Text"/>, if it supports <see cref="GetMemoryAsync"/>.</summary>
    public const string MemoryCommand = "memory";

    private static readonly TimeSpan s_longestEnd = TimeSpan.FromSeconds(10);

    private readonly Process _process;

    private OtherProcess(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>The time that the process has used of all processors.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    /// <param name="arguments">The arguments of the program.</param>
    public static OtherProcess Start(params string[] arguments) => Start(new ProcessStartInfo(Environment.ProcessPath!), arguments);

    /// <summary>Starts the program in a network namespace of Linux.</summary>
    /// <param name="name">The name of the namespace.</param>
    /// <param name="arguments">The arguments of the program.</param>
    public static OtherProcess StartIn(string name, params string[] arguments) => Start(new ProcessStartInfo("ip", ["netns", "exec", name, Environment.ProcessPath!]), arguments);

    private static OtherProcess Start(ProcessStartInfo start, string[] arguments)
    {
        start.RedirectStandardInput = start.RedirectStandardOutput = true;
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet")
            start.ArgumentList.Add(typeof(OtherProcess).Assembly.Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return new OtherProcess(Process.Start(start)!);
    }

    /// <summary>Waits for a line of the process.</summary>
    public async Task<string> ReadAsync() =>
        await _process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException("The other process ended early. Its error is printed above.");

    /// <summary>Waits for a line of the process; <c>null</c> if the process has ended.</summary>
    public async Task<string?> TryReadAsync() => await _process.StandardOutput.ReadLineAsync();

    /// <summary>Kills the process, as a power failure would.</summary>
    public void Kill() => _process.Kill();

    /// <summary>Sends a line to the process, without a reply.</summary>
    public void Write(string line = "") => _process.StandardInput.WriteLine(line);

    /// <summary>Sends a line to the process, and waits for the line that it replies.</summary>
    public async Task<string> AskAsync(string line)
    {
        await _process.StandardInput.WriteLineAsync(line);
        return await ReadAsync();
    }

    /// <summary>Collects garbage in the process, and returns the memory that it uses afterwards.</summary>
    public async Task<ProcessMemory> GetMemoryAsync() => ProcessMemory.Parse(await AskAsync(MemoryCommand));

    /// <summary>Ends the standard input of the process, and waits for its end. Kills the process if it does not end in time.</summary>
    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(s_longestEnd))
            _process.Kill();
        _process.Dispose();
    }
}
