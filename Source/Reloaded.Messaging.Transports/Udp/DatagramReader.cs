using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Reads the parts of a datagram.</summary>
internal static class DatagramReader
{
    /// <summary>Reads the next part.</summary>
    /// <param name="body">The rest of the datagram. Advanced past the part.</param>
    /// <param name="part">Receives the kind.</param>
    /// <param name="content">Receives the body of the part.</param>
    /// <returns><see langword="false"/> if the part is cut short or its kind is unknown.</returns>
    public static bool TryRead(ref ReadOnlySpan<byte> body, out DatagramPart part, out ReadOnlySpan<byte> content)
    {
        part = default;
        content = default;
        if (body.Length < DatagramFormat.PartHeader || body[0] > (byte)DatagramPart.Response)
            return false;
        part = (DatagramPart)body[0];
        var size = BinaryPrimitives.ReadUInt16LittleEndian(body.Slice(1));
        if (body.Length - DatagramFormat.PartHeader < size)
            return false;
        content = body.Slice(DatagramFormat.PartHeader, size);
        body = body.Slice(DatagramFormat.PartHeader + size);
        return true;
    }

    /// <summary>Checks the kinds and sizes of all parts.</summary>
    /// <param name="body">The datagram without its header.</param>
    /// <param name="isEliciting">Receives whether the datagram must be acknowledged: whether it contains more than acknowledgements and a close.</param>
    public static bool AreParts(ReadOnlySpan<byte> body, out bool isEliciting)
    {
        isEliciting = false;
        if (body.IsEmpty)
            return false;
        while (!body.IsEmpty)
        {
            if (!TryRead(ref body, out var part, out _))
                return false;
            isEliciting |= part is not (DatagramPart.Acknowledgement or DatagramPart.Close);
        }

        return true;
    }
}
