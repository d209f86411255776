using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Reloaded.Messaging.Simulation;

/// <summary>Starts a command of <see cref="Simulator"/> with the rewritten library.</summary>
internal static class Program
{
    private const string Mutant = "mutant";

    private static int Main(string[] args) => args switch
    {
        ["mutants", var type, ..] => RunMutants(type, args.Length > 2 ? args[2] : "500"),
        [Mutant, var type, var index, var count] => RunMutant(new Mutation(type, int.Parse(index, CultureInfo.InvariantCulture)), count),
        _ => Start(null, args),
    };

    private static int Start(Mutation? mutation, string[] args)
    {
        var simulation = new SimulatedContext(mutation).LoadSimulation();
        var main = simulation.GetType(typeof(Simulator).FullName!)!.GetMethod(nameof(Simulator.Run), BindingFlags.Public | BindingFlags.Static)!;
        return (int)main.Invoke(null, [args])!;
    }

    private static int RunMutant(Mutation mutation, string count)
    {
        var output = Console.Out;
        Console.SetOut(TextWriter.Null);
        var result = 1;
        try
        {
            result = Start(mutation, ["run", "1", count]);
        }
        finally
        {
            output.WriteLine(mutation.Description);
        }

        return result;
    }

    /// <summary>Runs each mutant in a process of its own, because a mutant may wait for ever or end the process.</summary>
    private static int RunMutants(string type, string count)
    {
        var total = Directory.GetFiles(SimulatedContext.LibraryFolder, "Reloaded.Messaging*.dll").Sum(path => Mutation.Count(path, type));
        var (survivors, endless) = (0, 0);
        for (var index = 0; index < total; index++)
        {
            var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, RedirectStandardError = true };
            foreach (var argument in new[] { typeof(Program).Assembly.Location, Mutant, type, index.ToString(CultureInfo.InvariantCulture), count }.Skip(Environment.ProcessPath!.EndsWith("dotnet", StringComparison.Ordinal) ? 0 : 1))
                start.ArgumentList.Add(argument);
            using var process = Process.Start(start)!;
            process.ErrorDataReceived += static (_, _) => { };
            process.BeginErrorReadLine();
            var output = process.StandardOutput.ReadToEndAsync();
            if (!process.WaitForExit(TimeSpan.FromSeconds(60)))
            {
                process.Kill();
                endless++; // it waits for ever, which is found
                continue;
            }

            if (process.ExitCode != 0)
                continue;
            survivors++;
            Console.WriteLine($"{index}: {output.Result.Trim()}");
        }

        Console.WriteLine($"{type}: {total} mutants, {total - survivors} found ({endless} without an end), {survivors} not found");
        return 0;
    }
}
