using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The groups of figures, by name, in the order of measurement.</summary>
public static class FigureGroups
{
    private static readonly (string Name, Func<Action<Figure>, FigureGroup> Make)[] s_groups =
    [
        ("core", static print => new CoreFigures(print)),
        ("contracts", static print => new ContractFigures(print)),
        ("hosts", static print => new Hosts.HostFigures(print)),
        ("shm", static print => new SharedMemory.ShmFigures(print)),
        ("udp", static print => new Udp.UdpFigures(print)),
        ("game", static print => new Game.GameFigures(print)),
        ("streams", static print => new Streams.StreamFigures(print)),
        ("rabbit", static print => new Rabbit.RabbitFigures(print)),
    ];

    public static IReadOnlyList<string> Names { get; } = Array.ConvertAll(s_groups, static group => group.Name);

    /// <summary>Measures one group, or all groups if <paramref name="name"/> is <c>null</c>.</summary>
    public static List<Figure> Measure(string? name, Action<Figure> print)
    {
        var figures = new List<Figure>();
        foreach (var group in s_groups)
        {
            if (name is not null && name != group.Name)
                continue;
            var measured = group.Make(print);
            measured.Measure();
            figures.AddRange(measured.Figures);
        }

        return figures;
    }
}
