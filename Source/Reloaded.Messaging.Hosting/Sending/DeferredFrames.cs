namespace Reloaded.Messaging.Hosting;

/// <summary>Copies of messages that wait until the channel may be called. Not thread-safe.</summary>
/// <remarks>Small messages share one array, which stays: the measurement of every round trip waits here, and allocates nothing.</remarks>
internal sealed class DeferredFrames
{
    private const int MaxShared = 4096; // bytes of the shared array
    private const int MaxRetainedFrames = 32;

    private readonly List<Frame> _frames = [];
    private byte[] _shared = [];
    private int _length; // used of the shared array

    /// <summary>Copies a message that is too large for the shared array. Call it before the lock, because a large copy would let other senders wait.</summary>
    /// <returns>The copy; <c>null</c> for a smaller message.</returns>
    public static byte[]? CopyLarge(in OutgoingFrame frame) => frame.Before.Length + frame.Message.Length > MaxShared / 4 ? [.. frame.Before, .. frame.Message] : null;

    /// <param name="frame">The message.</param>
    /// <param name="delivery">The delivery.</param>
    /// <param name="large">The result of <see cref="CopyLarge"/>.</param>
    public void Add(in OutgoingFrame frame, Delivery delivery, byte[]? large)
    {
        var size = frame.Before.Length + frame.Message.Length;
        var own = large ?? (_length + size > MaxShared ? [.. frame.Before, .. frame.Message] : null);
        if (own is null)
        {
            if (_length + size > _shared.Length)
                Grow(_length + size);
            frame.Before.CopyTo(_shared.AsSpan(_length));
            frame.Message.CopyTo(_shared.AsSpan(_length + frame.Before.Length));
        }

        _frames.Add(new Frame(own, _length, frame.Before.Length, size, delivery, frame.IsControl ? 0 : 1));
        _length += own is null ? size : 0;
    }

    /// <summary>Gives all messages to a channel, and keeps them.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="moved">Receives the bytes that were given, and the messages, without control messages, that the channel has, also if the channel throws.</param>
    public void MoveTo(DatagramChannel channel, out (int Bytes, int Frames) moved)
    {
        moved = default;
        foreach (var frame in _frames)
        {
            var bytes = frame.Own ?? _shared.AsSpan(frame.Start, frame.Size);
            if (channel.TryQueue(bytes[frame.Before..], frame.Delivery, int.MaxValue, bytes[..frame.Before]))
                moved.Frames += frame.Counted;
            moved.Bytes += frame.Size;
        }
    }

    /// <summary>Removes all messages, and zeroes them, because they may be secret.</summary>
    public void Clear()
    {
        foreach (var frame in _frames)
            Array.Clear(frame.Own ?? []);
        Array.Clear(_shared, 0, _length);
        _length = 0;
        _frames.Clear();
        if (_frames.Capacity > MaxRetainedFrames)
            _frames.Capacity = 0;
    }

    private void Grow(int size)
    {
        var larger = new byte[Math.Max(size, 2 * _shared.Length)];
        _shared.AsSpan(0, _length).CopyTo(larger);
        Array.Clear(_shared, 0, _length);
        _shared = larger;
    }

    private readonly record struct Frame(byte[]? Own, int Start, int Before, int Size, Delivery Delivery, int Counted);
}
