using System;

namespace Reloaded.Messaging.Tool;

internal static class Program
{
    private static System.Threading.Tasks.Task<int> Main(string[] args) =>
        CommandLine.RunAsync(args, new ToolConsole(Console.In, Console.Out, Console.Error, isTerminal: !Console.IsOutputRedirected));
}
