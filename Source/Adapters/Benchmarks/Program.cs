using System;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary><c>figures [GROUP]</c> prints the figures of the adapters.</summary>
internal static class Program
{
    private static readonly (string Name, Func<Action<Figure>, FigureGroup> Make)[] s_groups =
    [
        ("litenet", static print => new LiteNetFigures(print)),
        ("processor", static print => new ProcessorFigures(print)),
    ];

    private static int Main(string[] args)
    {
        var group = args.Length > 1 ? args[1] : null;
        if (args.Length is 0 or > 2 || args[0] != "figures" || (group is not null && !Array.Exists(s_groups, known => known.Name == group)))
        {
            Console.Error.WriteLine($"Usage: figures [GROUP]. The groups are: {string.Join(", ", Array.ConvertAll(s_groups, static known => known.Name))}.");
            return 2;
        }

        foreach (var (name, make) in s_groups)
        {
            if (group is null || name == group)
                make(Console.WriteLine).Measure();
        }

        return 0;
    }
}
