using System;
using System.Buffers;

namespace Reloaded.Messaging.Hosting;

/// <summary>The reply to the request that opens a stream.</summary>
internal readonly struct StreamOpened(uint number)
{
    /// <summary>The number of the stream, unique on the producing host.</summary>
    public uint Number { get; } = number;
}

/// <summary>Requests the next block of a stream. The reply is a <see cref="StreamBlock"/>, as soon as there are items.</summary>
internal readonly struct StreamPull(uint number, int maxBytes)
{
    /// <summary>The number of the stream.</summary>
    public uint Number { get; } = number;

    /// <summary>The size of the block, in bytes. A larger item is sent alone. 0 closes the stream.</summary>
    public int MaxBytes { get; } = maxBytes;
}

/// <summary>The contracts of the messages of streams.</summary>
internal static class StreamContracts
{
    public static readonly MessageContract<StreamOpened> Opened = new(LibraryTypes.StreamOpened, new BlittableSerializer<StreamOpened>([sizeof(uint)]));

    public static readonly MessageContract<StreamPull> Pull = new(LibraryTypes.StreamPull, new BlittableSerializer<StreamPull>([sizeof(uint), 2 * sizeof(uint)]));

    /// <summary>The longest time to wait for a reply. The producer may have no items for any time, and the end of the connection ends the wait.</summary>
    public static readonly TimeSpan NoTimeout = TimeSpan.MaxValue;

    private static readonly MessageContract<StreamBlock> s_block = new(LibraryTypes.StreamBlock, new StreamBlockSerializer(isSecret: false));

    private static readonly MessageContract<StreamBlock> s_secretBlock = new(LibraryTypes.StreamBlock, new StreamBlockSerializer(isSecret: true), isSecret: true);

    /// <summary>Returns the contract of blocks. The buffers of blocks with secret items are zeroed after use.</summary>
    public static MessageContract<StreamBlock> GetBlock(bool isSecret) => isSecret ? s_secretBlock : s_block;
}

/// <summary>A part of a stream: items as frames, or bytes of a file. It owns a rented array.</summary>
internal readonly struct StreamBlock(byte[]? array, int length, bool isEnd)
{
    /// <summary>The rented array; <c>null</c> if the block is empty.</summary>
    public byte[]? Array { get; } = array;

    /// <summary>The number of bytes.</summary>
    public int Length { get; } = length;

    /// <summary>Whether the stream has ended. A block with this flag is empty.</summary>
    public bool IsEnd { get; } = isEnd;

    /// <summary>The end of a stream.</summary>
    public static StreamBlock End => new(null, 0, true);

    public ReadOnlyMemory<byte> Memory => new(Array, 0, Length);

    /// <summary>Returns a block with a copy of the bytes.</summary>
    public static StreamBlock Copy(ReadOnlySpan<byte> bytes)
    {
        var array = ArrayPool<byte>.Shared.Rent(bytes.Length);
        bytes.CopyTo(array);
        return new StreamBlock(array, bytes.Length, false);
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

/// <summary>Serializes blocks: a byte that is 1 at the end of the stream, then the bytes of the block.</summary>
/// <param name="isSecret">Whether to zero the array of a block that was written.</param>
internal sealed class StreamBlockSerializer(bool isSecret) : IMessageSerializer<StreamBlock>
{
    private const byte More = 0;
    private const byte End = 1;

    public string Name => "stream-block";

    /// <remarks>Returns the array of the block, because a block is sent once.</remarks>
    public void Serialize(in StreamBlock value, MessageBuffer buffer)
    {
        var bytes = buffer.GetSpan(1 + value.Length);
        bytes[0] = value.IsEnd ? End : More;
        value.Memory.Span.CopyTo(bytes.Slice(1));
        buffer.Advance(1 + value.Length);
        value.Return(isSecret);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out StreamBlock value)
    {
        value = default;
        switch (payload)
        {
            case [End]:
                value = StreamBlock.End;
                return true;
            case [More, _, ..]:
                value = StreamBlock.Copy(payload.Slice(1));
                return true;
            default:
                return false;
        }
    }
}
