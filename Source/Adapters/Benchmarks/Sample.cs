using System.IO;

namespace Reloaded.Messaging.Adapters.Benchmarks;

/// <summary>The input of the compressors.</summary>
internal static class Sample
{
    /// <summary>A mod configuration as it is in its file. The LZ4 figures of the core use the same configuration.</summary>
    public static byte[] ModConfig()
    {
        const string Name = "example.remote.server.json";
        using var stream = typeof(Sample).Assembly.GetManifestResourceStream(Name) ?? throw new FileNotFoundException("The sample is not embedded in this assembly.", Name);
        var bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }
}
