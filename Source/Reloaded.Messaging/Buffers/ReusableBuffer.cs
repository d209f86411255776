namespace Reloaded.Messaging;

/// <summary>A buffer outside of the pool that one owner fills, clears and fills again.</summary>
/// <remarks>
/// Not thread-safe. Arrays up to 16 KiB stay with the buffer. A larger array is rented from <see cref="System.Buffers.ArrayPool{T}.Shared"/>, and
/// <see cref="Clear"/> returns it when two fillings in a row used less than a quarter of it. Allocates nothing in the steady state.
/// </remarks>
public sealed class ReusableBuffer : IDisposable
{
    private int _usedBefore;

    /// <summary>The buffer to write into. Stays the same for the life of this object.</summary>
    public MessageBuffer Buffer { get; } = new(home: null);

    /// <summary>The number of bytes written since the last <see cref="Clear"/>.</summary>
    public int Length => Buffer.Length;

    /// <summary>The bytes written so far. Valid until the next write, <see cref="Clear"/> or <see cref="Dispose"/>.</summary>
    public ReadOnlyMemory<byte> Written => Buffer.WrittenMemory;

    /// <summary>Removes everything written after a position, including nested messages that were begun and not ended.</summary>
    /// <param name="length">The number of bytes to keep (0 to <see cref="Length"/>).</param>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when <paramref name="length"/> is negative or larger than <see cref="Length"/>.</exception>
    public void Truncate(int length)
    {
        if ((uint)length > (uint)Buffer.Length)
            Throw.ArgumentOutOfRange(nameof(length), length, $"the buffer holds {Buffer.Length} bytes");
        Buffer.Truncate(length);
        Buffer.Depth = 0;
    }

    /// <summary>Removes everything that was written. Bytes of secret messages are zeroed.</summary>
    public void Clear()
    {
        var used = Buffer.Length;
        if (Buffer.IsSecret || MessagePool.PoisonsReturnedBuffers || IsOversized(Buffer.Capacity, used, _usedBefore))
            Buffer.Clean();
        _usedBefore = used;
        Buffer.Restart(int.MaxValue);
    }

    /// <summary>Returns whether an array is rented, and the last two fillings used less than a quarter of it.</summary>
    internal static bool IsOversized(int capacity, int used, int usedBefore) => capacity > MessageBuffer.MaxRetained && Math.Max(used, usedBefore) < capacity / 4;

    /// <summary>Returns a rented array and zeroes secrets. The buffer can be filled again afterwards.</summary>
    public void Dispose() => Buffer.Clean();
}
