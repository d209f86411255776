namespace Reloaded.Messaging.Hosting;

/// <summary>Copies of messages that wait until the channel may be called. Not thread-safe.</summary>
/// <remarks>Small messages share arrays, of which the last one stays: the measurement of every round trip waits here, and allocates nothing.</remarks>
internal sealed class DeferredFrames
{
    private const int MaxShared = 4096; // bytes of a shared array
    private const int MaxRetainedFrames = 32;

    private readonly List<Frame> _frames = [];
    private byte[] _shared = [];
    private int _used; // of the shared array

    /// <summary>Copies a message that is too large for a shared array. Call it before the lock, because a large copy would let other senders wait.</summary>
    /// <returns>The copy; <c>null</c> for a smaller message.</returns>
    public static byte[]? CopyLarge(in OutgoingFrame frame) => frame.Before.Length + frame.Message.Length > MaxShared / 4 ? [.. frame.Before, .. frame.Message] : null;

    /// <param name="frame">The message.</param>
    /// <param name="delivery">The delivery.</param>
    /// <param name="large">The result of <see cref="CopyLarge"/>.</param>
    public void Add(in OutgoingFrame frame, Delivery delivery, byte[]? large) =>
        _frames.Add(new Frame(large ?? CopySmall(in frame), frame.Before.Length, delivery, frame.IsControl ? 0 : 1));

    /// <summary>Gives all messages to a channel, and keeps them.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="moved">Receives the bytes that were given, and the messages, without control messages, that the channel has, also if the channel throws.</param>
    public void MoveTo(DatagramChannel channel, out (int Bytes, int Frames) moved)
    {
        moved = default;
        foreach (var frame in _frames)
        {
            var bytes = frame.Bytes.Span;
            if (channel.TryQueue(bytes[frame.Before..], frame.Delivery, int.MaxValue, bytes[..frame.Before]))
                moved.Frames += frame.Counted;
            moved.Bytes += bytes.Length;
        }
    }

    /// <summary>Removes all messages, and zeroes them, because they may be secret.</summary>
    public void Clear()
    {
        foreach (var frame in _frames)
            frame.Bytes.Span.Clear();
        _used = 0;
        _frames.Clear();
        if (_frames.Capacity > MaxRetainedFrames)
            _frames.Capacity = 0;
    }

    private Memory<byte> CopySmall(in OutgoingFrame frame)
    {
        var size = frame.Before.Length + frame.Message.Length;
        if (_shared.Length - _used < size)
            (_shared, _used) = (new byte[Math.Clamp(2 * _shared.Length, size, MaxShared)], 0); // the messages keep the array before it
        var copy = _shared.AsMemory(_used, size);
        frame.Before.CopyTo(copy.Span);
        frame.Message.CopyTo(copy.Span.Slice(frame.Before.Length));
        _used += size;
        return copy;
    }

    private readonly record struct Frame(Memory<byte> Bytes, int Before, Delivery Delivery, int Counted);
}
