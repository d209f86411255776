namespace Reloaded.Messaging.Wire;

/// <summary>The result of reading a header from the start of a message.</summary>
/// <remarks>Every value except <see cref="Ok"/> means that the message is malformed. The value names the rule of the format that the bytes break.</remarks>
public enum HeaderStatus
{
    /// <summary>A header in its one valid encoding.</summary>
    Ok = 0,

    /// <summary>The message is empty.</summary>
    Empty,

    /// <summary>The bytes end inside the header.</summary>
    Truncated,

    /// <summary>Bits 3 to 7 of an extended header's second byte are not zero.</summary>
    ReservedBits,

    /// <summary>The kind is 5, 6 or 7.</summary>
    ReservedKind,

    /// <summary>A uvarint with more bytes than its value needs, or more than five, or above 2^32-1.</summary>
    BadVarint,

    /// <summary>An event of type 0 to 126 in the extended form. It must use the short form.</summary>
    NotShortest,

    /// <summary>The size after decompression is negative, or above 2^31-1.</summary>
    SizeOutOfRange,
}
