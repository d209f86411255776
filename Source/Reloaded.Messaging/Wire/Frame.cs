namespace Reloaded.Messaging.Wire;

/// <summary>A message after its length: the form in which messages follow each other in a batch, a datagram or a stream.</summary>
/// <remarks><c>03 03 AA BB</c> is a frame of three bytes: type 3 with the payload <c>AA BB</c>. The length is a uvarint and never zero.</remarks>
public static class Frame
{
    /// <summary>Reads the first message of <paramref name="source"/>.</summary>
    /// <param name="source">Consecutive frames. Advanced past the message if one was read; otherwise unchanged.</param>
    /// <param name="maxMessageSize">The maximum size of a message, in bytes. It is checked before any byte after the length is read.</param>
    /// <param name="message">The message without its length: a slice of <paramref name="source"/>, valid as long as the source.</param>
    /// <returns>The result. Never throws.</returns>
    public static FrameStatus TryRead(scoped ref ReadOnlySpan<byte> source, int maxMessageSize, out ReadOnlySpan<byte> message)
    {
        message = default;
        switch (UVarint.TryRead(source, out var length, out var prefix))
        {
            case HeaderStatus.Truncated:
                return FrameStatus.Incomplete;
            case not HeaderStatus.Ok:
                return FrameStatus.Malformed;
        }

        if (length == 0)
            return FrameStatus.Malformed;
        if (length > (uint)Math.Max(maxMessageSize, 0))
            return FrameStatus.TooLarge;
        if (length > (uint)(source.Length - prefix))
            return FrameStatus.Incomplete;

        message = source.Slice(prefix, (int)length);
        source = source.Slice(prefix + (int)length);
        return FrameStatus.Ok;
    }
}

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
