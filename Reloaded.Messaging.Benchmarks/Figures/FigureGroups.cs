using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The groups of figures, by name, in the order of measurement.</summary>
public static class FigureGroups
{
    private static readonly (string Name, Func<Action<Figure>, FigureGroup> Make)[] s_groups =
    [
        ("peers", static print => new Hosts.Peers.PeerFigures(print)),
        ("request", static print => new Hosts.Requests.RequestFigures(print)),
        ("core", static print => new CoreFigures(print)),
        ("contracts", static print => new ContractFigures(print)),
        ("hosts", static print => new Hosts.HostFigures(print)),
        ("transfer", static print => new Transfer.TransferFigures(print)),
        ("shm", static print => new SharedMemory.ShmFigures(print)),
        ("udp", static print => new Udp.UdpFigures(print)),
        ("paths", static print => new Links.PathFigures(print)),
        ("game", static print => new Game.GameFigures(print)),
        ("sessions", static print => new Game.Sessions.SessionFigures(print)),
        ("streams", static print => new Streams.StreamFigures(print)),
        ("litenet", static print => new LiteNet.LiteNetFigures(print)),
        ("k4os", static print => new K4osFigures(print)),
        ("start", static print => new Start.StartFigures(print)),
        ("growth", static print => new Growth.GrowthFigures(print)),
    ];

    public static IReadOnlyList<string> Names { get; } = Array.ConvertAll(s_groups, static group => group.Name);

    /// <summary>Measures a group.</summary>
    /// <param name="name">The name of a group.</param>
    /// <param name="print">Called with each figure as soon as it is measured.</param>
    /// <param name="onlyAllocations">Whether to measure only allocations.</param>
    public static FigureGroup Measure(string name, Action<Figure> print, bool onlyAllocations = false)
    {
        var group = Make(name, print);
        if (!group.IsOfTwoProcesses || onlyAllocations)
            return MeasureHere(name, print, onlyAllocations);
        group.Load(FreshPairs.MeasureAsync(name).GetAwaiter().GetResult());
        return group;
    }

    /// <summary>Measures a group in this process, which is one of two if the group measures two.</summary>
    /// <inheritdoc cref="Measure"/>
    public static FigureGroup MeasureHere(string name, Action<Figure> print, bool onlyAllocations = false)
    {
        var group = Make(name, print);
        group.OnlyAllocations = onlyAllocations;
        group.Measure();
        return group;
    }

    private static FigureGroup Make(string name, Action<Figure> print) => Array.Find(s_groups, group => group.Name == name).Make(print);
}
