using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>The same numbers for the same seed, on every runtime and in a nanosecond each (SplitMix64).</summary>
internal sealed class Noise(ulong seed)
{
    private ulong _state = seed;

    public ulong Next()
    {
        var z = _state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 to one less than <paramref name="end"/>.</summary>
    public int Below(int end) => (int)(((Next() >> 32) * (ulong)end) >> 32);

    public void Fill(Span<byte> bytes)
    {
        var words = MemoryMarshal.Cast<byte, ulong>(bytes);
        for (var i = 0; i < words.Length; i++)
            words[i] = Next();
        for (var i = words.Length * sizeof(ulong); i < bytes.Length; i++)
            bytes[i] = (byte)Next();
    }
}
