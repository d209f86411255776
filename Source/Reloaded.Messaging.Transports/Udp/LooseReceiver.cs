using System.Buffers;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>The unreliable and sequenced frames that were received and not read. Not thread-safe.</summary>
internal sealed class LooseReceiver
{
    /// <summary>The maximum number of unread bytes.</summary>
    public const int Capacity = 256 * 1024;

    private ByteRing _bytes;
    private ulong _read;
    private ulong _end;

    /// <summary>The bytes that can be read.</summary>
    public int Readable => (int)(_end - _read);

    /// <summary>The memory that is rented, in bytes.</summary>
    public int RentedBytes => _bytes.RentedBytes;

    /// <summary>Adds whole frames.</summary>
    /// <param name="frames">The frames.</param>
    /// <returns><see langword="false"/> if there is no room.</returns>
    public bool TryAdd(ReadOnlySpan<byte> frames)
    {
        if (Readable + frames.Length > Capacity)
            return false;
        _bytes.Reserve(_read, _end + (ulong)frames.Length);
        _bytes.Write(_end, frames);
        _end += (ulong)frames.Length;
        return true;
    }

    /// <summary>Reads bytes.</summary>
    /// <returns>The number of bytes.</returns>
    public int Read(Span<byte> destination)
    {
        var size = Math.Min(destination.Length, Readable);
        _bytes.Read(_read, destination.Slice(0, size));
        _read += (ulong)size;
        if (_read == _end)
            _bytes.Free();
        return size;
    }

    /// <summary>Zeroes and returns the memory.</summary>
    public void Clear()
    {
        _read = _end;
        _bytes.Free();
    }
}
