using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Terminals;

/// <summary>A program in a real pseudo-terminal of a size, which the program <c>script</c> of Linux opens.</summary>
internal sealed class PseudoTerminal : IDisposable
{
    private const string Program = "script";

    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly char[] _buffer = new char[4096];
    private readonly string _device = Path.GetTempFileName();
    private (int Width, int Height) _size;

    /// <summary>Starts the tool.</summary>
    public PseudoTerminal(int width, int height, params string[] arguments)
        : this(typeof(Messaging.Tool.Schema).Assembly.Location, width, height, arguments)
    {
    }

    /// <summary>Starts a program of .NET.</summary>
    public PseudoTerminal(string program, int width, int height, params string[] arguments)
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && Environment.GetEnvironmentVariable("PATH")!.Split(':').Any(static folder => File.Exists(Path.Combine(folder, Program))),
            $"The program {Program} of Linux is missing, which opens a pseudo-terminal. Install it with 'apt-get install bsdutils'.");
        _size = (width, height);
        var command = string.Join(' ', new[] { "dotnet", program }.Concat(arguments).Select(static argument => $"'{argument}'"));
        var start = new ProcessStartInfo(Program, ["-qec", $"stty rows {height} cols {width}; tty > '{_device}'; exec env --default-signal=INT {command}", "/dev/null"]) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["TERM"] = "xterm-256color";
        start.Environment["LC_ALL"] = "C.UTF-8";
        start.Environment.Remove("NO_COLOR");
        _process = Process.Start(start)!;
    }

    /// <summary>All that the terminal has received.</summary>
    public string Output => _output.ToString();

    /// <summary>Waits until the terminal receives a text.</summary>
    public async Task ReadUntilAsync(string text)
    {
        var start = _output.Length;
        while (_output.ToString(start, _output.Length - start) is var read && !read.Contains(text, StringComparison.Ordinal))
            Assert.True(await ReadAsync(), $"The command has ended before it wrote '{text}':\n{read}");
    }

    /// <summary>Presses keys.</summary>
    public void Press(string keys)
    {
        _process.StandardInput.Write(keys);
        _process.StandardInput.Flush();
    }

    /// <summary>Changes the size of the terminal, after the command has started.</summary>
    public async Task ResizeAsync(int width, int height)
    {
        _size = (width, height);
        using var stty = Process.Start("stty", ["-F", (await File.ReadAllTextAsync(_device)).Trim(), "rows", $"{height}", "cols", $"{width}"]);
        await stty.WaitForExitAsync(TestContext.Current.CancellationToken).InTime();
        Assert.Equal(0, stty.ExitCode);
    }

    /// <summary>Waits until the command has ended.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> EndAsync()
    {
        while (await ReadAsync())
        {
        }

        await _process.WaitForExitAsync(TestContext.Current.CancellationToken).InTime();
        return _process.ExitCode;
    }

    /// <summary>Returns a terminal that has received the same.</summary>
    public TerminalEmulator Show()
    {
        var emulator = new TerminalEmulator(_size.Width, _size.Height);
        emulator.Write(Output);
        return emulator;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill(entireProcessTree: true);
        _process.Dispose();
        File.Delete(_device);
    }

    private async Task<bool> ReadAsync()
    {
        var count = await _process.StandardOutput.ReadAsync(_buffer).AsTask().InTime();
        _output.Append(_buffer, 0, count);
        return count > 0;
    }
}
