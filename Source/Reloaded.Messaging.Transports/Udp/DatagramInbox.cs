using System;
using System.Buffers;
using System.Diagnostics;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Holds received bytes until the channel reads them, up to a limit, and the pending receive.</summary>
/// <remarks>
/// An empty inbox holds no memory. <see cref="Complete"/> completes a pending receive on the calling thread, which calls it last,
/// because the continuation handles the received bytes on that thread.
/// </remarks>
internal sealed class DatagramInbox
{
    public const int Capacity = 256 * 1024;

    private const int InitialCapacity = 2048;

    private readonly object _gate = new();
    private readonly ReceiveWait<int> _wait;
    private Memory<byte> _destination;
    private int _result;
    private byte[]? _array;
    private int _start;
    private int _end;
    private TransportClosedException? _failure;
    private bool _hasEnded;

    public DatagramInbox() => _wait = new ReceiveWait<int>(_gate);

    /// <summary>Adds received bytes.</summary>
    /// <param name="bytes">Whole frames, or a segment of frames that arrive in order. The bytes are copied.</param>
    /// <param name="completes">Whether the caller must complete a pending receive now.</param>
    /// <param name="mayExceed">Whether the bytes may exceed <see cref="Capacity"/>.</param>
    /// <returns><see langword="true"/> if the bytes were added; <see langword="false"/> if the inbox is full or closed.</returns>
    public bool TryAdd(ReadOnlySpan<byte> bytes, out bool completes, bool mayExceed = false)
    {
        completes = false;
        lock (_gate)
        {
            if (_failure is not null || _hasEnded)
                return false;
            completes = _wait.TryTake();
            if (completes)
            {
                _result = Math.Min(bytes.Length, _destination.Length);
                bytes.Slice(0, _result).CopyTo(_destination.Span);
                bytes = bytes.Slice(_result);
            }

            if (bytes.IsEmpty)
                return true;
            if (_end - _start + bytes.Length > Capacity && !completes && !mayExceed)
                return false;
            Reserve(bytes.Length);
            bytes.CopyTo(_array.AsSpan(_end));
            _end += bytes.Length;
            return true;
        }
    }

    /// <summary>Completes the pending receive with its bytes.</summary>
    public void Complete() => _wait.SetResult(_result);

    public ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (_gate)
        {
            if (_failure is not null)
                throw new TransportClosedException(_failure.Reason, _failure.Message, _failure);
            if (_end > _start)
                return new ValueTask<int>(Take(buffer.Span));
            if (_hasEnded)
                return new ValueTask<int>(0);
            _destination = buffer;
            _wait.Begin(cancellationToken);
        }

        return _wait.AsTask();
    }

    /// <summary>Ends the inbox: no more bytes arrive. Bytes in the inbox can still be received.</summary>
    /// <returns>Whether the caller must complete a pending receive now.</returns>
    public bool TryEnd()
    {
        lock (_gate)
        {
            _hasEnded = true;
            if (!_wait.TryTake())
                return false; // no receive is pending, or another thread took it and is about to complete it with earlier bytes
            _result = 0;
            return true;
        }
    }

    /// <summary>Fails the pending receive and all later receives. The bytes in the inbox are zeroed.</summary>
    public void Fail(TransportClosedException failure)
    {
        lock (_gate)
        {
            if (_failure is not null)
                return;
            _failure = failure;
            Free();
            if (!_wait.TryTake())
                return;
        }

        _wait.SetException(failure);
    }

    private int Take(Span<byte> buffer)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var size = Math.Min(buffer.Length, _end - _start);
        _array.AsSpan(_start, size).CopyTo(buffer);
        _start += size;
        if (_start == _end)
            Free();
        return size;
    }

    private void Reserve(int more)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var held = _end - _start;
        if (_array is { } array && _end + more <= array.Length)
            return;
        if (_array is not null && held + more <= _array.Length)
        {
            _array.AsSpan(_start, held).CopyTo(_array);
            CryptographicOperations.ZeroMemory(_array.AsSpan(held, _end - held));
        }
        else
        {
            var larger = ArrayPool<byte>.Shared.Rent(Math.Max(InitialCapacity, Math.Max(held + more, 2 * held)));
            _array.AsSpan(_start, held).CopyTo(larger);
            Free();
            _array = larger;
        }

        (_start, _end) = (0, held);
    }

    private void Free()
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_array is { } array)
        {
            CryptographicOperations.ZeroMemory(array.AsSpan(0, _end)); // the bytes may be decrypted data
            ArrayPool<byte>.Shared.Return(array);
        }

        _array = null;
        _start = _end = 0;
    }
}
