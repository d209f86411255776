namespace Reloaded.Messaging.Hosting;

/// <summary>Copies of messages that wait until the channel may be called. Not thread-safe.</summary>
/// <remarks>The measurement of every round trip waits here, so what is filled again and again allocates nothing.</remarks>
internal sealed class DeferredFrames
{
    private const int MaxRetainedBytes = 1024;
    private const int MaxRetainedFrames = 32;

    private readonly List<Frame> _frames = [];
    private byte[] _bytes = []; // of all messages, in their order
    private int _length;

    public void Add(in OutgoingFrame frame, Delivery delivery)
    {
        var end = checked(_length + frame.Before.Length + frame.Message.Length);
        if (end > _bytes.Length)
            Grow(end);
        frame.Before.CopyTo(_bytes.AsSpan(_length));
        frame.Message.CopyTo(_bytes.AsSpan(_length + frame.Before.Length));
        _frames.Add(new Frame(frame.Before.Length, end - _length, delivery, frame.IsControl ? 0 : 1));
        _length = end;
    }

    /// <summary>Gives all messages to a channel, and keeps them.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="moved">Receives the bytes that were given, and the messages, without control messages, that the channel has, also if the channel throws.</param>
    public void MoveTo(DatagramChannel channel, out (int Bytes, int Frames) moved)
    {
        moved = default;
        foreach (var frame in _frames)
        {
            var bytes = _bytes.AsSpan(moved.Bytes, frame.Size);
            if (channel.TryQueue(bytes[frame.Before..], frame.Delivery, int.MaxValue, bytes[..frame.Before]))
                moved.Frames += frame.Counted;
            moved.Bytes += frame.Size;
        }
    }

    /// <summary>Removes all messages, and zeroes them, because they may be secret.</summary>
    public void Clear()
    {
        Array.Clear(_bytes, 0, _length);
        _length = 0;
        _frames.Clear();
        if (_bytes.Length > MaxRetainedBytes)
            _bytes = [];
        if (_frames.Capacity > MaxRetainedFrames)
            _frames.Capacity = 0;
    }

    private void Grow(int size)
    {
        var larger = new byte[Math.Max(size, (int)Math.Min(int.MaxValue / 2, 2L * _bytes.Length))];
        _bytes.AsSpan(0, _length).CopyTo(larger);
        Array.Clear(_bytes, 0, _length);
        _bytes = larger;
    }

    private readonly record struct Frame(int Before, int Size, Delivery Delivery, int Counted);
}
