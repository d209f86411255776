using System;
using System.Collections.Generic;
using Examples;

namespace ModLoader.Packing;

/// <summary>Shows the size of the message of each file, for each way of sending.</summary>
public static class FileTable
{
    private const int Most = 40;

    public static void Print(List<ModFile> mods, List<WayRow> rows)
    {
        var table = new Table(["bytes per message", .. rows.ConvertAll(static row => row.Name)]);
        for (var i = 0; i < Math.Min(mods.Count, Most); i++)
            table.Add([mods[i].Name, .. rows.ConvertAll(row => $"{row.SizeOf(i):N0}")]);
        if (mods.Count > Most)
            table.Add([$"and {mods.Count - Most} more", .. rows.ConvertAll(static _ => "")]);
        table.Print(null);
    }
}
