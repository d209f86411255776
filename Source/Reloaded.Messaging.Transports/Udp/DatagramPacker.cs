using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Cuts whole frames to what a datagram carries.</summary>
internal static class DatagramPacker
{
    /// <summary>Returns the size of the frames that go into the next datagram: as many as it has room for, or one that needs more.</summary>
    /// <param name="frames">Whole frames; not empty.</param>
    /// <param name="room">The bytes that a datagram has for them.</param>
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
            throw new ArgumentException("The bytes to send are not whole frames.", nameof(rest));
        return before - rest.Length;
    }
}
