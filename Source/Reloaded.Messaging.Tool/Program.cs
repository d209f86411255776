using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Reloaded.Messaging.Tool;

internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        using var interrupted = new CancellationTokenSource();
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
        using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
        using var hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, End); // the terminal was closed
        using var terminal = Console.IsOutputRedirected ? null : new SystemTerminal();
        return await CommandLine.RunAsync(args, new ToolConsole(Console.In, OpenOutput(), Console.Error, terminal, isErrorTerminal: !Console.IsErrorRedirected), interrupted.Token);

        void End(PosixSignalContext context)
        {
            context.Cancel = !interrupted.IsCancellationRequested; // a second signal ends the process at once
            interrupted.Cancel();
        }
    }

    /// <summary>Opens the standard output. The console ignores that the reader of a pipe has closed it, so a pipe is opened as a file, whose writes fail then.</summary>
    private static TextWriter OpenOutput()
    {
        if (OperatingSystem.IsWindows() || !Console.IsOutputRedirected)
            return Console.Out;
        var output = new FileStream(new SafeFileHandle(1, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        return output.CanSeek ? Console.Out : new StreamWriter(output) { AutoFlush = true };
    }
}
