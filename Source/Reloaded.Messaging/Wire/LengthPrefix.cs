namespace Reloaded.Messaging;

/// <summary>What stands in front of each message on a stream, and says how long it is.</summary>
/// <remarks>
/// The first is the library's own. The others are for programs that frame that way already: with them there is no handshake, no token, no
/// heartbeat and no correlation id. Messages have the short header alone, and replies belong to requests by their order.
/// </remarks>
public enum LengthPrefix
{
    /// <summary>Unsigned LEB128, one to five bytes: what two hosts of this library speak.</summary>
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
