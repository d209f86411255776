using System;
using System.IO;
using ModLoader;
using ModLoader.Packing;

switch (args)
{
    case [] or ["pack"]:
        return PackingRun.Run(ModFile.Samples);
    case ["pack", var folder] when Directory.Exists(folder):
        return PackingRun.Run(folder);
    default:
        Console.Error.WriteLine("Usage: ModLoader [pack [FOLDER]]   a folder with ModConfig.json files; its subfolders are searched too");
        return 2;
}
