namespace Reloaded.Messaging.Wire;

/// <summary>The result of reading a frame from the start of a stream or datagram.</summary>
public enum FrameStatus
{
    /// <summary>A complete message.</summary>
    Ok = 0,

    /// <summary>An incomplete message, or no bytes: more bytes are needed.</summary>
    Incomplete,

    /// <summary>A length of zero, or a length that is not in its shortest form. The rest of the stream cannot be read.</summary>
    Malformed,

    /// <summary>A length above the reader's limit. The rest of the stream cannot be read.</summary>
    TooLarge,
}
