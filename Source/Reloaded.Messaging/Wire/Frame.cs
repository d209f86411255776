using System;

namespace Reloaded.Messaging.Wire;

/// <summary>A message behind its length: how messages follow each other in a batch, a datagram or a stream.</summary>
/// <remarks><c>03 03 AA BB</c> is a frame of three bytes: type 3 with the payload <c>AA BB</c>. The length is a uvarint and never zero.</remarks>
public static class Frame
{
    /// <summary>Takes the first message off <paramref name="source"/>.</summary>
    /// <param name="source">Frames one after the other. Moved past the message when there is one, unchanged otherwise.</param>
    /// <param name="maxMessageSize">The largest message to accept, in bytes. Checked before anything behind the length is looked at.</param>
    /// <param name="message">The message without its length: a part of <paramref name="source"/>, valid for as long as that is.</param>
    /// <returns>What was found. Never throws.</returns>
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
