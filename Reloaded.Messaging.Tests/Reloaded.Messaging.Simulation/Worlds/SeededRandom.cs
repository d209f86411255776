namespace Reloaded.Messaging.Simulation;

/// <summary>Random numbers by a seed, with the same sequence on every machine (SplitMix64).</summary>
public sealed class SeededRandom : Random
{
    private ulong _state;

    /// <summary>Begins the sequence of a seed.</summary>
    public void Reset(ulong seed) => _state = seed * 0x9E3779B97F4A7C15;

    /// <summary>The next 64 bits.</summary>
    public ulong NextUInt64()
    {
        var z = _state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>Whether an event of a probability happens.</summary>
    public bool Chance(double probability) => NextDouble() < probability;

    /// <inheritdoc/>
    public override int Next() => (int)(NextUInt64() >> 33);

    /// <inheritdoc/>
    public override int Next(int maxValue) => maxValue <= 1 ? 0 : (int)Math.BigMul(NextUInt64(), (ulong)maxValue, out _);

    /// <inheritdoc/>
    public override int Next(int minValue, int maxValue) => minValue + Next(maxValue - minValue);

    /// <inheritdoc/>
    public override double NextDouble() => (NextUInt64() >> 11) * (1.0 / (1UL << 53));

    /// <inheritdoc/>
    public override void NextBytes(byte[] buffer) => NextBytes(buffer.AsSpan());

    /// <inheritdoc/>
    public override void NextBytes(Span<byte> buffer)
    {
        foreach (ref var b in buffer)
            b = (byte)NextUInt64();
    }

    /// <inheritdoc/>
    protected override double Sample() => NextDouble();
}
