using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Cuts what a channel is given, which is whole frames, to what datagrams carry. For every transport that keeps no order.</summary>
internal static class DatagramPacker
{
    /// <summary>Cuts off what goes together.</summary>
    /// <param name="frames">Whole frames; not empty.</param>
    /// <param name="room">The bytes that a datagram has for them.</param>
    /// <param name="kind">How to send it.</param>
    /// <returns>How many bytes: whole frames.</returns>
    public static int Cut(ReadOnlySpan<byte> frames, int room, out DatagramDelivery kind)
    {
        var rest = frames;
        var first = ReadOne(ref rest, out var isFirstReliable);
        if (isFirstReliable)
        {
            kind = DatagramDelivery.Reliable;
            while (!rest.IsEmpty)
            {
                var size = ReadOne(ref rest, out var isReliable);
                if (!isReliable)
                    return first;
                first += size;
            }

            return first;
        }

        kind = first > room ? DatagramDelivery.TooLarge : DatagramDelivery.Unreliable;
        var taken = first;
        while (taken <= room && !rest.IsEmpty)
        {
            var size = ReadOne(ref rest, out var isReliable);
            if (isReliable || taken + size > room)
                break;
            taken += size;
        }

        return taken;
    }

    /// <summary>What has to arrive, and in order: what connections begin and end with.</summary>
    private static bool IsReliable(ReadOnlySpan<byte> message) =>
        message.Length >= 3 && message[0] == 0x7F && message[1] == (byte)MessageKind.Control && (uint)message[2] is (ControlCode.Hello or ControlCode.Goodbye);

    private static int ReadOne(ref ReadOnlySpan<byte> rest, out bool isReliable)
    {
        var before = rest.Length;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok)
            throw new ArgumentException("What is to be sent is not whole frames.", nameof(rest));
        isReliable = IsReliable(message);
        return before - rest.Length;
    }
}
