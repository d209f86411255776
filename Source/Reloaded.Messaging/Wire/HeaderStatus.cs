namespace Reloaded.Messaging.Wire;

/// <summary>Why the bytes at the start of a message are, or are not, a header.</summary>
/// <remarks>Everything except <see cref="Ok"/> is a malformed message; the value says which rule of the format it breaks.</remarks>
public enum HeaderStatus
{
    /// <summary>A header in its one valid encoding.</summary>
    Ok = 0,

    /// <summary>No bytes at all.</summary>
    Empty,

    /// <summary>The bytes end inside the header.</summary>
    Truncated,

    /// <summary>Bits 3 to 7 of an extended header's second byte are not zero.</summary>
    ReservedBits,

    /// <summary>The kind is 5, 6 or 7.</summary>
    ReservedKind,

    /// <summary>A uvarint with more bytes than its value needs, or more than five, or above 2^32-1.</summary>
    BadVarint,

    /// <summary>An event of type 0 to 126 in the extended form: it has to use the short one.</summary>
    NotShortest,

    /// <summary>The size after decompression is negative, or above 2^31-1.</summary>
    SizeOutOfRange,
}
