using System;

namespace Reloaded.Messaging;

/// <summary>Encrypts what one side sends: numbers packets, and goes on to the next key before one was used too often.</summary>
/// <remarks>Thread-safe: a connection may be freed while it sends.</remarks>
internal sealed class PacketSealer(TrafficKey key, int maxPacketsPerKey) : IDisposable
{
    private readonly object _gate = new();
    private TrafficKey? _key = key;
    private ulong _number;
    private int _sealed;

    /// <summary>Encrypts one packet.</summary>
    /// <param name="plain">What is to be sent.</param>
    /// <param name="packet">Room for as much and <see cref="TrafficKey.TagSize"/>.</param>
    /// <param name="number">The packet's number, which the other side needs.</param>
    /// <returns>The epoch of the key, which the other side needs; negative if the connection was freed.</returns>
    public long Seal(ReadOnlySpan<byte> plain, Span<byte> packet, out ulong number)
    {
        lock (_gate)
        {
            number = _number;
            if (_key is not { } current)
                return -1;
            if (_sealed == maxPacketsPerKey)
            {
                _key = current.Next();
                current.Dispose();
                current = _key;
                _sealed = 0;
            }

            current.Seal(_number++, plain, packet);
            _sealed++;
            return current.Epoch;
        }
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
