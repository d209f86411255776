using System.Buffers.Binary;
using System.IO;
using System.Net.Sockets;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The frames of the hand-written code: the length of the payload, an id, and the payload.</summary>
internal static class BareFrame
{
    public const int HeaderSize = 2 * sizeof(int);
    public const int LongestPayload = 1 << 20;
}

/// <summary>The connection of hand-written code: a socket, or bytes in memory.</summary>
/// <param name="ReceiveAsync">Receives bytes. Returns their number; 0 at the end.</param>
/// <param name="SendAsync">Sends bytes. Returns the number of sent bytes.</param>
internal sealed record BareLink(Func<Memory<byte>, ValueTask<int>> ReceiveAsync, Func<ReadOnlyMemory<byte>, ValueTask<int>> SendAsync)
{
    public static BareLink Of(Socket socket) => new(bytes => socket.ReceiveAsync(bytes), bytes => socket.SendAsync(bytes));
}

/// <summary>The frames that wait to be sent.</summary>
internal sealed class BareFrameBuffer
{
    private byte[] _bytes = new byte[64 * 1024];

    public int Count { get; private set; }

    public void Append(int id, ReadOnlySpan<byte> payload)
    {
        var size = BareFrame.HeaderSize + payload.Length;
        if (_bytes.Length - Count < size)
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, Count + size));
        var frame = _bytes.AsSpan(Count, size);
        BinaryPrimitives.WriteInt32LittleEndian(frame, payload.Length);
        BinaryPrimitives.WriteInt32LittleEndian(frame.Slice(sizeof(int)), id);
        payload.CopyTo(frame.Slice(BareFrame.HeaderSize));
        Count += size;
    }

    public async ValueTask SendAsync(BareLink link)
    {
        for (var sent = 0; sent < Count;)
            sent += await link.SendAsync(_bytes.AsMemory(sent, Count - sent));
        Count = 0;
    }
}

/// <summary>The received bytes, of which whole frames are taken.</summary>
internal sealed class BareFrameReader(BareLink link)
{
    private byte[] _bytes = new byte[64 * 1024];
    private int _start;
    private int _end;

    /// <returns><c>false</c> if the connection ended.</returns>
    public async ValueTask<bool> ReadAsync()
    {
        if (_start > 0)
        {
            _bytes.AsSpan(_start, _end - _start).CopyTo(_bytes);
            (_start, _end) = (0, _end - _start);
        }

        if (_end == _bytes.Length) // a frame that does not fit
            Array.Resize(ref _bytes, 2 * _bytes.Length);
        var received = await link.ReceiveAsync(_bytes.AsMemory(_end));
        _end += received;
        return received > 0;
    }

    public bool TryTake(out int id, out ReadOnlySpan<byte> payload)
    {
        id = 0;
        payload = default;
        var left = _bytes.AsSpan(_start, _end - _start);
        if (left.Length < BareFrame.HeaderSize)
            return false;
        var size = BinaryPrimitives.ReadInt32LittleEndian(left);
        if (size is < 0 or > BareFrame.LongestPayload)
            throw new InvalidDataException($"A frame has {size} bytes; the limit is {BareFrame.LongestPayload}.");
        if (left.Length < BareFrame.HeaderSize + size)
            return false;
        id = BinaryPrimitives.ReadInt32LittleEndian(left.Slice(sizeof(int)));
        payload = left.Slice(BareFrame.HeaderSize, size);
        _start += BareFrame.HeaderSize + size;
        return true;
    }
}
