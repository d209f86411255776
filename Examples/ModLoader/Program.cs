using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using ModLoader;

// What a tool and a game say to each other about mods: every configuration in a folder is packed as a message, by its generated contract and
// as JSON, with each compressor, dispatched to a typed handler and counted.
if (args.Length > 1 || (args.Length == 1 && !Directory.Exists(args[0])))
{
    Console.Error.WriteLine("Usage: ModLoader [FOLDER]   a folder with ModConfig.json files; its subfolders are searched too");
    return 2;
}

var folder = args.Length == 1 ? args[0] : Path.Combine(AppContext.BaseDirectory, "Samples");
var watch = Stopwatch.StartNew();
var mods = ModFile.ReadAll(folder, Console.WriteLine);
if (mods.Count == 0)
{
    Console.Error.WriteLine($"No mod configuration found in {folder}.");
    return 1;
}

Console.WriteLine($"{mods.Count} mod configurations from {(args.Length == 1 ? folder : "the example's own samples")}");
Console.WriteLine();

var rows = new List<WayRow>();
foreach (var way in Way.All(Console.WriteLine))
    rows.Add(WayRow.Measure(way, mods, seconds: 0.5));

FileTable.Print(mods, rows);
WayRow.Print(rows);
ContractTable.Print();
BadPeer.Print();

long total = 0;
foreach (var row in rows)
    total += row.Messages;
Console.WriteLine($"{total:N0} messages packed, dispatched and handled in {watch.Elapsed.TotalSeconds:F1} s; none was lost.");
return 0;
