using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.LiteNet;

internal static class Frames
{
    /// <summary>Creates the frame of a message.</summary>
    public static ReadOnlyMemory<byte> Of<T>(in T message)
    {
        using var packed = new MessageWriter().Pack(message);
        var frame = new byte[5 + packed.Length];
        var prefix = UVarint.Write(frame, (uint)packed.Length);
        packed.Span.CopyTo(frame.AsSpan(prefix));
        return frame.AsMemory(0, prefix + packed.Length);
    }
}
