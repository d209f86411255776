using System;
using System.Linq;
using BenchmarkDotNet.Running;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks;

/// <summary><c>figures [GROUP]</c> prints the figures, <c>echo</c> prints the echo sweep, <c>sessions N [SECONDS]</c> puts load on a server, and <c>report</c> writes docs/benchmarks.md. All other arguments go to BenchmarkDotNet.</summary>
public static class Program
{
    private static int Main(string[] args)
    {
        switch (args.FirstOrDefault())
        {
            case "figures":
                return PrintFigures(args.ElementAtOrDefault(1));
            case Hosts.EchoProcess.Verb:
                Hosts.EchoProcess.RunAsync(args[1]).GetAwaiter().GetResult();
                return 0;
            case SharedMemory.ShmProcess.Verb:
                SharedMemory.ShmProcess.RunAsync(args[1]).GetAwaiter().GetResult();
                return 0;
            case Hosts.EchoSweep.Verb:
                Hosts.EchoSweep.PrintAsync().GetAwaiter().GetResult();
                return 0;
            case Game.Sessions.SessionLoad.Verb:
                return Game.Sessions.SessionLoad.RunAsync(args[1..]).GetAwaiter().GetResult();
            case "report":
                return Report.ReportWriter.Write();
            default:
                BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
                return 0;
        }
    }

    private static int PrintFigures(string? group)
    {
        if (group is not null && !FigureGroups.Names.Contains(group))
        {
            Console.Error.WriteLine($"'{group}' is not a group of figures. The groups are: {string.Join(", ", FigureGroups.Names)}.");
            return 2;
        }

        FigureGroups.Measure(group, Console.WriteLine);
        return 0;
    }
}
