using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Writes the parts of a datagram.</summary>
internal ref struct DatagramWriter(Span<byte> body)
{
    private readonly Span<byte> _body = body;

    /// <summary>The bytes that were written.</summary>
    public int Length { get; private set; }

    /// <summary>The size of the largest body that a further part may have; negative if there is no room for its header.</summary>
    public readonly int Room => _body.Length - Length - DatagramFormat.PartHeader;

    /// <summary>Begins a part with a body that fits <see cref="Room"/>.</summary>
    /// <returns>The memory of the body, which the caller fills.</returns>
    public Span<byte> Add(DatagramPart part, int size)
    {
        _body[Length] = (byte)part;
        BinaryPrimitives.WriteUInt16LittleEndian(_body.Slice(Length + 1), (ushort)size);
        var content = _body.Slice(Length + DatagramFormat.PartHeader, size);
        Length += DatagramFormat.PartHeader + size;
        return content;
    }

    /// <summary>The memory of the next body, of the size <see cref="Room"/>, for a body whose size is not known yet. <see cref="Add"/> with its size follows.</summary>
    public readonly Span<byte> Peek() => _body.Slice(Length + DatagramFormat.PartHeader);
}
