namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>A batch under a mutex, and a thread that writes the whole batch repeatedly. The mutex is held during the write, or only while the batch is taken.</summary>
internal sealed class LockedBatch : IFlushed
{
    private readonly Lock _gate = new();
    private readonly SlowChannel _channel;
    private readonly bool _isHeldWhileWriting;
    private readonly Thread _flusher;
    private byte[] _pending;
    private byte[] _written;
    private int _length;
    private bool _stopped;

    public LockedBatch(SlowChannel channel, int maxPending, bool isHeldWhileWriting)
    {
        (_channel, _isHeldWhileWriting) = (channel, isHeldWhileWriting);
        (_pending, _written) = (new byte[maxPending], new byte[maxPending]);
        _flusher = new Thread(FlushRepeatedly);
        _flusher.Start();
    }

    public bool TryAppend(ReadOnlySpan<byte> message)
    {
        lock (_gate)
        {
            if (message.Length > _pending.Length - _length)
                return false;
            message.CopyTo(_pending.AsSpan(_length));
            _length += message.Length;
            return true;
        }
    }

    public void Dispose()
    {
        Volatile.Write(ref _stopped, true);
        _flusher.Join();
    }

    private void FlushRepeatedly()
    {
        while (!Volatile.Read(ref _stopped))
        {
            if (Volatile.Read(ref _length) == 0)
                Thread.Yield();
            else if (_isHeldWhileWriting)
                FlushInside();
            else
                FlushOutside();
        }
    }

    private void FlushInside()
    {
        lock (_gate)
        {
            _channel.Write(_length);
            _length = 0;
        }
    }

    private void FlushOutside()
    {
        int length;
        lock (_gate)
        {
            (length, _length) = (_length, 0);
            (_pending, _written) = (_written, _pending);
        }

        _channel.Write(length);
    }
}
