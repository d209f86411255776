using System.Runtime.InteropServices;
using System.Threading.Channels;
using Spectre.Console;

namespace Reloaded.Messaging.Tool;

/// <summary>The terminal of the process.</summary>
internal sealed class SystemTerminal : ToolTerminal, IDisposable
{
    private static readonly (int Width, int Height) s_usual = (80, 24);

    private PosixSignalRegistration? _resizing;

    /// <remarks>A pseudo-terminal without a size has the usual one.</remarks>
    public override (int Width, int Height) Size => (Console.WindowWidth, Console.WindowHeight) is { Item1: > 0, Item2: > 0 } size ? size : s_usual;

    public override bool KnowsSequences => AnsiConsole.Profile.Capabilities.Ansi;

    /// <inheritdoc/>
    /// <remarks>There are no keys if the standard input is not a terminal. The keys end when the terminal is closed.</remarks>
    public override ChannelReader<ConsoleKeyInfo> ReadKeys()
    {
        var keys = Channel.CreateUnbounded<ConsoleKeyInfo>();
        if (!OperatingSystem.IsWindows()) // the console of Windows reports no change of its size
            _resizing = PosixSignalRegistration.Create(PosixSignal.SIGWINCH, _ => keys.Writer.TryWrite(default));
        if (!Console.IsInputRedirected)
            new Thread(() => Read(keys.Writer)) { IsBackground = true, Name = "keys" }.Start(); // the read of a key cannot be canceled
        return keys.Reader;
    }

    public void Dispose() => _resizing?.Dispose();

    private static void Read(ChannelWriter<ConsoleKeyInfo> keys)
    {
        try
        {
            while (true)
                keys.TryWrite(Console.ReadKey(intercept: true));
        }
        catch (InvalidOperationException)
        {
            keys.TryComplete(); // the terminal was closed
        }
    }
}
