using System.IO;

namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary>What is compressed here.</summary>
internal static class Sample
{
    /// <summary>A mod configuration as it is in its file: the one that the core's LZ4 figures are about too.</summary>
    public static byte[] ModConfig()
    {
        const string Name = "example.remote.server.json";
        using var stream = typeof(Sample).Assembly.GetManifestResourceStream(Name) ?? throw new FileNotFoundException("No such sample.", Name);
        var bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }
}
