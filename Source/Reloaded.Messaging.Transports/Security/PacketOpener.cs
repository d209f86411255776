using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>Decrypts the packets of the other side, and follows its key changes. It does not recognize duplicates of datagrams; their receiver does.</summary>
/// <remarks>
/// A packet contains the lowest byte of its epoch. The epoch is trusted as soon as the packet decrypts. Until then, the next key is cached along with the
/// current key, so that forged packets do not cause repeated key derivation. The previous key is kept as long as its packets may be in the window.
/// Thread-safe: the keys may be disposed during a receive.
/// </remarks>
internal sealed class PacketOpener(TrafficKey key) : IDisposable
{
    /// <summary>The number of packets by which a datagram may be late.</summary>
    public const int MaxLateness = 1024;

    private readonly object _gate = new();
    private TrafficKey? _last;
    private TrafficKey? _current = key;
    private TrafficKey? _next;
    private ulong _epochStart;
    private ulong _newest;
    private ulong _expected;

    /// <summary>Decrypts a datagram. Datagrams may arrive in any order.</summary>
    /// <param name="epoch">The lowest byte of the epoch, from the packet.</param>
    /// <param name="number">The number of the packet, from the packet.</param>
    /// <param name="packet">The ciphertext and the tag.</param>
    /// <param name="plain">Receives the plaintext, and is at least as large as the ciphertext. It may start at the same address as <paramref name="packet"/>.</param>
    public OpenStatus TryOpen(byte epoch, ulong number, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        lock (_gate)
        {
            var status = TryOpenLocked(epoch, number, packet, plain);
            if (status == OpenStatus.Ok)
            {
                _newest = Math.Max(_newest, number);
                if (_last is not null && _newest - _epochStart >= MaxLateness)
                    Drop(ref _last);
            }

            return status;
        }
    }

    /// <summary>Decrypts the next packet of a stream. Packets arrive in order and without gaps.</summary>
    /// <inheritdoc cref="TryOpen"/>
    public OpenStatus TryOpenNext(byte epoch, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        lock (_gate)
        {
            var status = TryOpenLocked(epoch, _expected, packet, plain);
            if (status != OpenStatus.Ok)
                return status;
            _expected++;
            Drop(ref _last);
            return OpenStatus.Ok;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            Drop(ref _last);
            Drop(ref _current);
            Drop(ref _next);
        }
    }

    private static void Drop(ref TrafficKey? key)
    {
        key?.Dispose();
        key = null;
    }

    private OpenStatus TryOpenLocked(byte epoch, ulong number, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_current is null)
            return OpenStatus.Closed;
        if (packet.Length < TrafficKey.TagSize)
            return OpenStatus.Forged;
        if (epoch == (byte)_current.Epoch)
            return Open(_current, number, packet, plain);
        if (_last is not null && epoch == (byte)_last.Epoch)
            return Open(_last, number, packet, plain);
        if (epoch != (byte)(_current.Epoch + 1))
            return OpenStatus.Forged;

        _next ??= _current.Next();
        if (!_next.TryOpen(number, packet, plain))
            return OpenStatus.Forged;
        Drop(ref _last);
        (_last, _current, _next) = (_current, _next, null);
        _epochStart = number;
        return OpenStatus.Ok;
    }

    private static OpenStatus Open(TrafficKey key, ulong number, ReadOnlySpan<byte> packet, Span<byte> plain) =>
        key.TryOpen(number, packet, plain) ? OpenStatus.Ok : OpenStatus.Forged;
}
