using System.Buffers;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A part of a stream: items as frames, or bytes of a file. It owns a rented array.</summary>
internal readonly struct StreamBlock(byte[]? array, int length, bool isEnd)
{
    /// <summary>The rented array; <c>null</c> if the block is empty.</summary>
    public readonly byte[]? Array = array;

    /// <summary>The number of bytes.</summary>
    public readonly int Length = length;

    /// <summary>Whether the stream has ended. A block with this flag is empty, except for the last report of a request.</summary>
    public readonly bool IsEnd = isEnd;

    /// <summary>The end of a stream.</summary>
    public static StreamBlock End => new(null, 0, true);

    public ReadOnlyMemory<byte> Memory => new(Array, 0, Length);

    /// <summary>Returns a block with a copy of the bytes.</summary>
    public static StreamBlock Copy(ReadOnlySpan<byte> bytes, bool isEnd = false)
    {
        var array = ArrayPool<byte>.Shared.Rent(bytes.Length);
        bytes.CopyTo(array);
        return new StreamBlock(array, bytes.Length, isEnd);
    }

    /// <summary>Returns a block with a copy of one message, after its length.</summary>
    public static StreamBlock Frame(ReadOnlySpan<byte> message)
    {
        var array = ArrayPool<byte>.Shared.Rent(UVarint.MaxSize + message.Length);
        var start = UVarint.Write(array, (uint)message.Length);
        message.CopyTo(array.AsSpan(start));
        return new StreamBlock(array, start + message.Length, false);
    }

    /// <summary>Returns the array to its pool. Called once, by the last user.</summary>
    /// <param name="isSecret">Whether to zero the bytes.</param>
    public void Return(bool isSecret)
    {
        if (Array is null)
            return;
        if (isSecret)
            Array.AsSpan(0, Length).Clear();
        ArrayPool<byte>.Shared.Return(Array);
    }
}
