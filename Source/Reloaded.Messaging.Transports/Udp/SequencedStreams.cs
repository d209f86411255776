using System.Buffers;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>Numbers the sequenced datagrams of each stream, and recognizes received datagrams that are not newer than the newest one of their stream. Not thread-safe.</summary>
internal sealed class SequencedStreams
{
    /// <summary>The number of the stream, and the number of the datagram in the stream.</summary>
    public const int HeaderSize = 1 + sizeof(uint);

    private const int Streams = 256;

    private uint[]? _sending;
    private uint[]? _receiving;

    /// <summary>Writes the header of the next datagram of a stream.</summary>
    public void WriteHeader(Span<byte> destination, byte stream)
    {
        _sending ??= new uint[Streams];
        destination[0] = stream;
        BinaryPrimitives.WriteUInt32LittleEndian(destination.Slice(1), _sending[stream]);
        _sending[stream] = unchecked(_sending[stream] + 1);
    }

    /// <summary>Returns whether a datagram is older than the newest one of its stream, or is a duplicate of it. Otherwise, it becomes the newest one.</summary>
    /// <param name="header">The header of the received datagram.</param>
    public bool IsOutdated(ReadOnlySpan<byte> header)
    {
        _receiving ??= new uint[Streams];
        ref var next = ref _receiving[header[0]];
        var number = BinaryPrimitives.ReadUInt32LittleEndian(header.Slice(1));
        if (unchecked((int)(number - next)) < 0)
            return true;
        next = unchecked(number + 1);
        return false;
    }
}
