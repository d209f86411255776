using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A received message and its header, which is read once. Valid until more bytes are received.</summary>
internal readonly ref struct ReceivedMessage
{
    private readonly int _headerSize;

    private ReceivedMessage(ReadOnlySpan<byte> bytes, MessageHeader header, int headerSize)
    {
        (Header, _headerSize) = (header, headerSize);
        Bytes = bytes;
    }

    /// <summary>The bytes of the header and the payload.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    public MessageHeader Header { get; }

    public ReadOnlySpan<byte> Payload => Bytes.Slice(_headerSize);

    /// <summary>Reads the header of a message.</summary>
    /// <returns><c>false</c> if the header is malformed; otherwise, <c>true</c>.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out ReceivedMessage message)
    {
        var isOk = MessageHeader.TryRead(bytes, out var header, out var size) == HeaderStatus.Ok;
        message = new ReceivedMessage(bytes, header, size);
        return isOk;
    }
}
