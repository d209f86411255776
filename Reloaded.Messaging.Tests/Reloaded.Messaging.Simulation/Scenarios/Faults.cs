using System.Linq;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>The faults of a world. They are drawn before the run, so that one of them can be left out and the others stay.</summary>
internal static class Faults
{
    private static readonly HashSet<int> s_omitted = [];

    /// <summary>The kinds of faults.</summary>
    public enum Kind
    {
        Partition,
        Reset,
        PauseServer,
        PauseClient,
        KillClient,
        RestartServer,
        Rebind,
    }

    /// <summary>The faults of the last world that were not omitted.</summary>
    public static IReadOnlyList<Fault> Drawn { get; private set; } = [];

    /// <summary>Leaves out faults of the next worlds, by their numbers.</summary>
    public static void Omit(IEnumerable<int> numbers)
    {
        s_omitted.Clear();
        s_omitted.UnionWith(numbers);
    }

    /// <summary>Draws the faults of a world.</summary>
    /// <param name="random">The random numbers.</param>
    /// <param name="only">The kind of all faults; <c>null</c> for any.</param>
    public static IReadOnlyList<Fault> Draw(SeededRandom random, Kind? only = null)
    {
        var count = random.Chance(0.4) ? 0 : 1 + random.Next(5);
        var drawn = new List<Fault>();
        for (var i = 0; i < count; i++)
        {
            var kind = only ?? (Kind)random.Next(7);
            var longest = kind == Kind.Partition ? 20_000 : 8_000;
            drawn.Add(new Fault(i, kind, random.Next(random.Chance(0.5) ? 100 : 3000), random.Next(random.Chance(0.5) ? 200 : longest), random.Next(3), random.Chance(0.3), random.Chance(0.7)));
        }

        return Drawn = [.. drawn.Where(static fault => !s_omitted.Contains(fault.Number))];
    }
}

/// <summary>A fault.</summary>
/// <param name="Number">The number of the fault in its world.</param>
/// <param name="Kind">The kind.</param>
/// <param name="After">The time since the fault before, in milliseconds.</param>
/// <param name="Length">The length, in milliseconds.</param>
/// <param name="Client">The number of the client, modulo the number of clients.</param>
/// <param name="IsSilent">Whether a client dies with its machine.</param>
/// <param name="IsAmidHandshake">Whether a server is restarted while a client connects.</param>
internal sealed record Fault(int Number, Faults.Kind Kind, int After, int Length, int Client, bool IsSilent, bool IsAmidHandshake);
