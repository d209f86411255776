using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Simulation.Laws;
using Reloaded.Messaging.Simulation.Scenarios;

namespace Reloaded.Messaging.Simulation;

/// <summary>The commands. They run in the context of the rewritten library.</summary>
public static partial class Simulator
{
    private const int MaxFailures = 5;

    /// <summary>Runs a command.</summary>
    /// <returns>0 if all laws held; otherwise, 1.</returns>
    public static int Run(string[] args) => args switch
    {
        ["run", var first, var count] => RunSeeds(Seeds(Parse(first), Parse(count)), TimeSpan.MaxValue),
        ["run", var first, var count, var step] => RunSeeds(Seeds(Parse(first), Parse(count), Parse(step)), TimeSpan.MaxValue),
        ["fresh", var seconds] => RunSeeds(FreshSeeds(), TimeSpan.FromSeconds(int.Parse(seconds, CultureInfo.InvariantCulture))),
        ["simulate", var seed] => Simulate(Parse(seed)),
        ["shrink", var seed] => Shrink(Parse(seed)),
        _ => Explain(),
    };

    private static int Explain()
    {
        Console.WriteLine("""
            run FIRST COUNT [STEP]
                                runs worlds by their seeds; the seed also chooses the kind of world
            fresh SECONDS       runs worlds with new seeds for a time
            simulate SEED       runs one world, and prints each event with its time
            shrink SEED         removes the faults without which the world still breaks the law, and prints the rest
            mutants TYPE        changes each condition and each call of a type, and prints the changes that no world finds
            """);
        return 1;
    }

    private static ulong Parse(string number) => ulong.Parse(number, CultureInfo.InvariantCulture);

    private static IEnumerable<ulong> Seeds(ulong first, ulong count, ulong step = 1)
    {
        for (ulong i = 0; i < count; i++)
            yield return first + (i * step);
    }

    private static IEnumerable<ulong> FreshSeeds() => Seeds((ulong)DateTime.UtcNow.Ticks / 1000, ulong.MaxValue / 2);

    private static int RunSeeds(IEnumerable<ulong> seeds, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var (passed, failed, events) = (0, 0, 0L);
        foreach (var seed in seeds)
        {
            if (failed == MaxFailures || watch.Elapsed > time)
                break;
            var failure = World.Run(seed, ScenarioOf(seed));
            events += World.Steps;
            if (failure is null)
            {
                passed++;
                continue;
            }

            failed++;
            Console.WriteLine($"Seed {seed}: {failure.Message}");
            if (failure is not LawException)
                Console.WriteLine(failure);
            foreach (var note in World.Notes)
                Console.WriteLine("  " + note);
            Console.WriteLine($"Repeat it: dotnet run -c Release --project {Project} -- simulate {seed}");
        }

        Console.WriteLine($"{events:N0} events in {watch.Elapsed.TotalSeconds:0.0} s");
        Console.WriteLine($"{passed} passed, {failed} failed");
        return failed == 0 ? 0 : 1;
    }

    private static int Simulate(ulong seed)
    {
        World.IsTracing = true;
        var failure = World.Run(seed, ScenarioOf(seed));
        Console.WriteLine(failure is null ? $"All laws held. {World.Steps} events, hash {World.Hash:x16}." : $"{failure}\nhash {World.Hash:x16}");
        return failure is null ? 0 : 1;
    }

    private static int Shrink(ulong seed)
    {
        if (World.Run(seed, ScenarioOf(seed)) is not { } first)
        {
            Console.WriteLine("The world breaks no law.");
            return 0;
        }

        var omitted = new List<int>();
        foreach (var fault in Faults.Drawn.ToList())
        {
            Faults.Omit([.. omitted, fault.Number]);
            if (World.Run(seed, ScenarioOf(seed)) is { } failure && LawOf(failure) == LawOf(first))
                omitted.Add(fault.Number);
        }

        Faults.Omit(omitted);
        World.IsTracing = true;
        var last = World.Run(seed, ScenarioOf(seed));
        foreach (var fault in Faults.Drawn)
            Console.WriteLine(fault);
        Console.WriteLine($"{omitted.Count} faults removed. {last?.Message}");
        return 1;
    }

    private static partial Func<Task> ScenarioOf(ulong seed);

    private static string LawOf(Exception failure) => (failure as LawException)?.Law ?? failure.GetType().Name;
}
