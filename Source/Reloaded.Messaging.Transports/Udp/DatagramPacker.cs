using System;
using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Splits a sequence of whole frames by the size of a datagram.</summary>
internal static class DatagramPacker
{
    /// <summary>Returns the size of the frames for the next datagram: as many frames as fit, or one frame that is too large to fit.</summary>
    /// <param name="frames">Whole frames; not empty.</param>
    /// <param name="room">The number of bytes available in a datagram.</param>
    public static int Cut(ReadOnlySpan<byte> frames, int room)
    {
        var rest = frames;
        var taken = ReadOne(ref rest);
        while (taken <= room && !rest.IsEmpty)
        {
            var size = ReadOne(ref rest);
            if (taken + size > room)
                break;
            taken += size;
        }

        return taken;
    }

    private static int ReadOne(ref ReadOnlySpan<byte> rest)
    {
        var before = rest.Length;
        if (Frame.TryRead(ref rest, int.MaxValue, out _) != FrameStatus.Ok)
            throw new ArgumentException("The bytes to send are not whole frames. Pass complete frames with their length prefixes.", nameof(rest));
        return before - rest.Length;
    }
}
