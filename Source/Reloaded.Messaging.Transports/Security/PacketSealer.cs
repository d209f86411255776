using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>Encrypts and numbers the packets of one side. Changes to the next key before the current key exceeds its packet limit.</summary>
/// <remarks>Thread-safe: the keys may be disposed during a send.</remarks>
internal sealed class PacketSealer(TrafficKey key, int maxPacketsPerKey) : IDisposable
{
    private readonly object _gate = new();
    private TrafficKey? _key = key;
    private ulong _number;
    private int _sealed;

    /// <summary>Encrypts one packet.</summary>
    /// <param name="plain">The bytes to encrypt.</param>
    /// <param name="packet">Receives the ciphertext and the tag: the size of <paramref name="plain"/> plus <see cref="TrafficKey.TagSize"/>.</param>
    /// <param name="number">Receives the number of the packet, which the other side needs.</param>
    /// <returns>The epoch of the key, which the other side needs; negative if the keys were disposed.</returns>
    public long Seal(ReadOnlySpan<byte> plain, Span<byte> packet, out ulong number)
    {
        lock (_gate)
        {
            number = _number++;
            return SealLocked(number, plain, packet);
        }
    }

    /// <summary>Encrypts one packet whose number the caller has chosen. A sealer whose packets have chosen numbers is used only in this way.</summary>
    /// <param name="plain">The bytes to encrypt.</param>
    /// <param name="packet">Receives the ciphertext and the tag: the size of <paramref name="plain"/> plus <see cref="TrafficKey.TagSize"/>.</param>
    /// <param name="number">The number. The caller never uses a number twice.</param>
    /// <returns>The epoch of the key, which the other side needs; negative if the keys were disposed.</returns>
    public long Seal(ReadOnlySpan<byte> plain, Span<byte> packet, ulong number)
    {
        lock (_gate)
            return SealLocked(number, plain, packet);
    }

    private long SealLocked(ulong number, ReadOnlySpan<byte> plain, Span<byte> packet)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_key is not { } current)
            return -1;
        if (_sealed == maxPacketsPerKey)
        {
            _key = current.Next();
            current.Dispose();
            current = _key;
            _sealed = 0;
        }

        current.Seal(number, plain, packet);
        _sealed++;
        return current.Epoch;
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _key?.Dispose();
            _key = null;
        }
    }
}
