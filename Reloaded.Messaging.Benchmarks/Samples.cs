using System;
using System.IO;
using System.Text.Json;
using ModLoader;

namespace Reloaded.Messaging.Benchmarks;

/// <summary>The mod configurations that ship with the mod loader example.</summary>
public static class Samples
{
    /// <summary>The configuration that the JSON rows are about: 2 KiB as its author wrote it, with plugin data, as most published ones.</summary>
    public static ModConfig Typical { get; } = JsonSerializer.Deserialize(Bytes("example.voices.original.json"), ModConfigContext.Default.ModConfig)!;

    /// <summary>All of them.</summary>
    public static PooledModConfig[] All { get; } = Array.ConvertAll(
        ["example.remote.server.json", "example.sharedlib.hooks.json", "example.small.json", "example.voices.original.json"],
        static name => JsonSerializer.Deserialize(Bytes(name), ModConfigContext.Default.PooledModConfig)!);

    /// <summary>As many configurations as asked for, made of the samples: each of another mod, and no string in two of them that says which.</summary>
    public static PooledModConfig[] Distinct(int count)
    {
        var configs = new PooledModConfig[count];
        for (var i = 0; i < count; i++)
        {
            var json = JsonSerializer.Serialize(All[i % All.Length], ModConfigContext.Default.PooledModConfig);
            configs[i] = JsonSerializer.Deserialize(json.Replace("example", $"example{i}", StringComparison.Ordinal), ModConfigContext.Default.PooledModConfig)!;
            configs[i].ModName += $" {i}";
            configs[i].ModDescription += $" ({i})";
            configs[i].ModAuthor += $" {i}";
        }

        return configs;
    }

    /// <summary>The bytes of a sample as it is in its file.</summary>
    public static byte[] Bytes(string name)
    {
        using var stream = typeof(Samples).Assembly.GetManifestResourceStream(name) ?? throw new FileNotFoundException("No such sample.", name);
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }
}
