namespace Reloaded.Messaging.Wire;

/// <summary>What the bytes at the start of a stream or a datagram hold.</summary>
public enum FrameStatus
{
    /// <summary>A whole message.</summary>
    Ok = 0,

    /// <summary>The start of a message, or nothing: more bytes are needed.</summary>
    Incomplete,

    /// <summary>A length of zero, or one that is not in its shortest form. The stream can't be read on.</summary>
    Malformed,

    /// <summary>A length above the reader's limit. The stream can't be read on.</summary>
    TooLarge,
}
