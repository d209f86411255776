using System.IO;
using System.Text.Json;
using ModLoader;

namespace Reloaded.Messaging.Benchmarks;

/// <summary>The mod configurations that ship with the mod loader example.</summary>
public static class Samples
{
    /// <summary>The configuration that the JSON rows are about: 2 KiB as its author wrote it, with plugin data, as most published ones.</summary>
    public static ModConfig Typical { get; } = JsonSerializer.Deserialize(Bytes("example.voices.original.json"), ModConfigContext.Default.ModConfig)!;

    /// <summary>The bytes of a sample as it is in its file.</summary>
    public static byte[] Bytes(string name)
    {
        using var stream = typeof(Samples).Assembly.GetManifestResourceStream(name) ?? throw new FileNotFoundException("No such sample.", name);
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }
}
