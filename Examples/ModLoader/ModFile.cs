using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;

namespace ModLoader;

/// <summary>A mod's configuration, and the file that it was read from.</summary>
public sealed record ModFile(string Name, PooledModConfig Config)
{
    /// <summary>The folder of the example's own.</summary>
    public static string Samples { get; } = Path.Combine(AppContext.BaseDirectory, "Samples");

    /// <summary>Reads every configuration below a folder. A file that is none gets a line, and the rest goes on.</summary>
    public static List<ModFile> ReadAll(string folder, Action<string> say)
    {
        var mods = new List<ModFile>();
        var files = Directory.GetFiles(folder, "*.json", SearchOption.AllDirectories);
        Array.Sort(files, StringComparer.Ordinal);
        foreach (var file in files)
        {
            var name = Path.GetRelativePath(folder, file);
            try
            {
                var config = JsonSerializer.Deserialize(File.ReadAllBytes(file), ModConfigContext.Default.PooledModConfig);
                if (string.IsNullOrEmpty(config?.ModId))
                    say($"Left out {name}: it names no ModId.");
                else
                    mods.Add(new ModFile(name, config));
            }
            catch (Exception e) when (e is JsonException or IOException or UnauthorizedAccessException)
            {
                say($"Left out {name}: {e.Message.ReplaceLineEndings("")}");
            }
        }

        return mods;
    }
}
