using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A received message and its header, which is read once. Valid until more bytes are received.</summary>
/// <remarks>
/// The header is read in place and used by reference. A copy would wait until the fields that were just written have left the processor's store buffer,
/// because it reads them all with one load.
/// </remarks>
internal ref struct ReceivedMessage
{
    /// <summary>The header. Use it by reference.</summary>
    public MessageHeader Header;

    /// <summary>The size of the header, in bytes; 0 if the header was not read.</summary>
    public int HeaderSize;

    /// <summary>The bytes of the header and the payload.</summary>
    public ReadOnlySpan<byte> Bytes { get; private set; }

    public readonly ReadOnlySpan<byte> Payload => Bytes.Slice(HeaderSize);

    /// <summary>Returns a message whose header is not read.</summary>
    public static ReceivedMessage Unread(ReadOnlySpan<byte> bytes) => new() { Bytes = bytes };

    /// <summary>Reads the header of a message.</summary>
    /// <returns><c>false</c> if the header is malformed; otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(ReadOnlySpan<byte> bytes, out ReceivedMessage message)
    {
        message = default;
        message.Bytes = bytes;
        return MessageHeader.TryRead(bytes, out message.Header, out message.HeaderSize) == HeaderStatus.Ok;
    }
}
