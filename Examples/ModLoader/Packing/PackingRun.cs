using System;
using System.Diagnostics;

namespace ModLoader.Packing;

/// <summary>Packs every configuration in a folder as a message, in the generated format and as JSON, with each compressor. Dispatches each message to a typed handler, and counts.</summary>
public static class PackingRun
{
    /// <returns>The exit code.</returns>
    public static int Run(string folder)
    {
        var watch = Stopwatch.StartNew();
        var mods = ModFile.ReadAll(folder, Console.WriteLine);
        if (mods.Count == 0)
        {
            Console.Error.WriteLine($"No mod configuration found in {folder}.");
            return 1;
        }

        Console.WriteLine($"{mods.Count} mod configurations from {(folder == ModFile.Samples ? "the example's own samples" : folder)}");
        Console.WriteLine();

        var rows = WayRow.Measure(Way.All(Console.WriteLine), mods, rounds: 5, TimeSpan.FromSeconds(0.1));

        FileTable.Print(mods, rows);
        WayRow.Print(rows);
        ContractTable.Print();
        BadPeer.Print();

        long total = 0;
        foreach (var row in rows)
            total += row.Messages;
        Console.WriteLine($"{total:N0} messages were packed, dispatched and handled in {watch.Elapsed.TotalSeconds:F1} s. No message was lost.");
        return 0;
    }
}
