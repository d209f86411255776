using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Benchmarks.Hosts.Requests;

/// <summary>Bytes in memory, which the reader receives only in a call of <see cref="Deliver"/>, and on its thread.</summary>
internal sealed class HandPipe : IValueTaskSource<int>
{
    private readonly Lock _gate = new();
    private ManualResetValueTaskSourceCore<int> _core;
    private Memory<byte>? _reading;
    private byte[] _bytes = new byte[64 * 1024];
    private int _read;
    private int _written;

    /// <summary>Adds bytes. Returns their number.</summary>
    public int Write(ReadOnlyMemory<byte> bytes)
    {
        lock (_gate)
        {
            if (_bytes.Length - _written < bytes.Length)
                Array.Resize(ref _bytes, 2 * (_written + bytes.Length));
            bytes.CopyTo(_bytes.AsMemory(_written));
            _written += bytes.Length;
            return bytes.Length;
        }
    }

    /// <summary>Waits for the next <see cref="Deliver"/>.</summary>
    public ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        lock (_gate)
        {
            _core.Reset();
            _reading = buffer;
            return new ValueTask<int>(this, _core.Version);
        }
    }

    /// <summary>Passes the bytes to the reader, and runs its continuations, until the reader has all bytes.</summary>
    /// <returns><c>false</c> if there was no byte, or if no reader waits.</returns>
    public bool Deliver()
    {
        var hasDelivered = false;
        while (true)
        {
            int count;
            lock (_gate)
            {
                if (_reading is not { } buffer || _read == _written)
                    return hasDelivered;
                count = Math.Min(buffer.Length, _written - _read);
                _bytes.AsMemory(_read, count).CopyTo(buffer);
                _read += count;
                if (_read == _written)
                    (_read, _written) = (0, 0);
                _reading = null;
            }

            hasDelivered = true;
            _core.SetResult(count);
        }
    }

    /// <summary>Takes the bytes, which the reader does not receive.</summary>
    public byte[] Take()
    {
        lock (_gate)
        {
            var bytes = _bytes[_read.._written];
            (_read, _written) = (0, 0);
            return bytes;
        }
    }

    /// <summary>Ends the pending read.</summary>
    public void Close()
    {
        lock (_gate)
        {
            if (_reading is null)
                return;
            _reading = null;
        }

        _core.SetResult(0);
    }

    int IValueTaskSource<int>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => _core.OnCompleted(continuation, state, token, flags);
}
