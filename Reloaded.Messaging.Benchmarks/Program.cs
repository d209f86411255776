using System.Globalization;
using System.Linq;
using BenchmarkDotNet.Running;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks;

/// <summary><c>figures [allocations] [GROUP...]</c> prints the figures, or only the allocations, <c>echo</c> prints the echo sweep, <c>sessions N [SECONDS]</c> puts load on a server, <c>flood [SECONDS [ADDRESSES]]</c> sends a server first messages from many addresses, <c>players [SECONDS [PLAYERS]]</c> compares transports for a game over a bad path, <c>reload [LOADS]</c> loads a mod again and again, <c>report [GROUP...]</c> writes docs/benchmarks/README.md, or only the parts of those groups, and <c>report again</c> writes it from its own values. All other arguments go to BenchmarkDotNet.</summary>
public static class Program
{
    private const string Allocations = "allocations";

    private static int Main(string[] args)
    {
        switch (args.FirstOrDefault())
        {
            case "figures":
                return PrintFigures(args[1..]);
            case Processes.FreshPairs.Verb:
                Processes.FreshPairs.Run(args[1]);
                return 0;
            case Hosts.EchoProcess.Verb:
                Hosts.EchoProcess.RunAsync(args[1]).GetAwaiter().GetResult();
                return 0;
            case Hosts.Peers.PeerProcess.Verb:
                Hosts.Peers.PeerProcess.RunAsync(args[1]).GetAwaiter().GetResult();
                return 0;
            case SharedMemory.ShmProcess.Verb:
                SharedMemory.ShmProcess.RunAsync(args[1]).GetAwaiter().GetResult();
                return 0;
            case Game.Sessions.SessionClients.Verb:
                Game.Sessions.SessionClients.RunAsync(args[1..]).GetAwaiter().GetResult();
                return 0;
            case Game.Sessions.SessionServer.Verb:
                Game.Sessions.SessionServer.RunAsync(args[1..]).GetAwaiter().GetResult();
                return 0;
            case Links.PathPeer.ServerVerb:
                Links.PathPeer.ServeAsync(args[1], double.Parse(args[2], CultureInfo.InvariantCulture)).GetAwaiter().GetResult();
                return 0;
            case Links.PathPeer.ClientVerb:
                Links.PathPeer.SendAsync(args[1], int.Parse(args[2], CultureInfo.InvariantCulture)).GetAwaiter().GetResult();
                return 0;
            case Hosts.EchoSweep.Verb:
                Hosts.EchoSweep.PrintAsync().GetAwaiter().GetResult();
                return 0;
            case Game.Sessions.SessionLoad.Verb:
                return Game.Sessions.SessionLoad.RunAsync(args[1..]).GetAwaiter().GetResult();
            case Udp.Flood.FloodServer.Verb:
                Udp.Flood.FloodServer.RunAsync().GetAwaiter().GetResult();
                return 0;
            case Udp.Flood.FloodSender.Verb:
                Udp.Flood.FloodSender.RunAsync(args[1..]).GetAwaiter().GetResult();
                return 0;
            case Udp.Flood.FloodPlayers.Verb:
                Udp.Flood.FloodPlayers.RunAsync(args[1..]).GetAwaiter().GetResult();
                return 0;
            case Udp.Flood.FloodRun.Verb:
                return Udp.Flood.FloodRun.RunAsync(args[1..]).GetAwaiter().GetResult();
            case Game.Players.PlayersServer.Verb:
                Game.Players.PlayersServer.RunAsync(args[1]).GetAwaiter().GetResult();
                return 0;
            case Game.Players.PlayersBots.Verb:
                Game.Players.PlayersBots.RunAsync(args[1..]).GetAwaiter().GetResult();
                return 0;
            case Game.Players.PlayersRun.Verb:
                return Game.Players.PlayersRun.RunAsync(args[1..]).GetAwaiter().GetResult();
            case Start.ReloadRun.Verb:
                return Start.ReloadRun.RunAsync(args[1..]).GetAwaiter().GetResult();
            case "report":
                return args is [_, Report.ReportWriter.Again] || IsKnown(args[1..]) ? Report.ReportWriter.Write(args[1..]) : 2;
            default:
                BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
                return 0;
        }
    }

    /// <returns>1 if an allocation is larger than its target in each round, or if a group could not be measured; otherwise, 0. Targets of times do not count, because other programs on the machine change times.</returns>
    private static int PrintFigures(string[] names)
    {
        var onlyAllocations = names.FirstOrDefault() == Allocations;
        if (onlyAllocations)
            names = names[1..];
        if (!IsKnown(names))
            return 2;

        var missed = new List<Figure>();
        var skipped = 0;
        foreach (var name in names.Length == 0 ? FigureGroups.Names : names)
        {
            var group = FigureGroups.Measure(name, Console.WriteLine, onlyAllocations);
            missed.AddRange(group.Figures.Where(static figure => figure is { Unit: Figure.Bytes, IsReached: false, IsTargetInRange: false })); // the allocations of each message are in each round; those of a new thread of the pool, such as the box of its first request, are in some
            if (group.Skipped is not { } reason)
                continue;
            Console.Error.WriteLine($"The group {name} was not measured: {reason}");
            skipped++;
        }

        foreach (var figure in missed)
            Console.Error.WriteLine($"{figure.Name} is {figure.Text} B per message, and more than the target in each round; the target is {figure.Goal}.");
        return missed.Count + skipped == 0 ? 0 : 1;
    }

    private static bool IsKnown(string[] groups)
    {
        var unknown = Array.Find(groups, static group => !FigureGroups.Names.Contains(group));
        if (unknown is not null)
            Console.Error.WriteLine($"'{unknown}' is not a group of figures. The groups are: {string.Join(", ", FigureGroups.Names)}.");
        return unknown is null;
    }
}
