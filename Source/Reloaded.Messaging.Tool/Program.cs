using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tool;

internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        using var interrupted = new CancellationTokenSource();
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
        using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
        return await CommandLine.RunAsync(args, new ToolConsole(Console.In, Console.Out, Console.Error, isTerminal: !Console.IsOutputRedirected), interrupted.Token);

        void End(PosixSignalContext context)
        {
            context.Cancel = !interrupted.IsCancellationRequested; // a second signal ends the process at once
            interrupted.Cancel();
        }
    }
}
