namespace Reloaded.Messaging;

/// <summary>The form of the length before each message of a stream.</summary>
/// <remarks>
/// <see cref="UVarint"/> is the library's form. The others are for programs that already use them: such a connection has no handshake, no token, no
/// keep-alive and no correlation ids. Messages have the short header only, and replies are matched to requests by their order.
/// </remarks>
public enum LengthPrefix
{
    /// <summary>Unsigned LEB128, one to five bytes: the form between two hosts of this library.</summary>
    UVarint = 0,

    /// <summary>Two bytes, the low one first: messages up to 65,535 bytes.</summary>
    UInt16LittleEndian,

    /// <summary>Two bytes, the high one first: messages up to 65,535 bytes.</summary>
    UInt16BigEndian,

    /// <summary>Four bytes, the low one first.</summary>
    UInt32LittleEndian,

    /// <summary>Four bytes, the high one first.</summary>
    UInt32BigEndian,
}
