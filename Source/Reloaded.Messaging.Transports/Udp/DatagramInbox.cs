using System;
using System.Buffers;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>What came and was not received yet, up to a bound, and the receive that waits for it.</summary>
/// <remarks>
/// Empty, it holds no memory. A receive that waits is completed by <see cref="Complete"/>, on the thread that calls it, after whatever it
/// still has to do: what is received is handled there.
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

    /// <summary>Adds what came.</summary>
    /// <param name="bytes">Whole frames, or a part of some that come in order. Copied.</param>
    /// <param name="completes">Whether a receive is to be completed now.</param>
    /// <returns>False if there is no room, or nobody will ever receive.</returns>
    public bool TryAdd(ReadOnlySpan<byte> bytes, out bool completes)
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
            if (_end - _start + bytes.Length > Capacity && !completes)
                return false;
            Reserve(bytes.Length);
            bytes.CopyTo(_array.AsSpan(_end));
            _end += bytes.Length;
            return true;
        }
    }

    /// <summary>Hands the receive that waited its bytes.</summary>
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

    /// <summary>Nothing more comes: what came may be received.</summary>
    /// <returns>Whether a receive is to be completed now.</returns>
    public bool TryEnd()
    {
        lock (_gate)
        {
            _hasEnded = true;
            if (!_wait.TryTake())
                return false; // or another thread took it, and has yet to hand it what came before
            _result = 0;
            return true;
        }
    }

    /// <summary>Nothing more is received. What came is zeroed.</summary>
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
        var size = Math.Min(buffer.Length, _end - _start);
        _array.AsSpan(_start, size).CopyTo(buffer);
        _start += size;
        if (_start == _end)
            Free();
        return size;
    }

    private void Reserve(int more)
    {
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
        if (_array is { } array)
        {
            CryptographicOperations.ZeroMemory(array.AsSpan(0, _end)); // it was encrypted, perhaps: it is nobody's to see
            ArrayPool<byte>.Shared.Return(array);
        }

        _array = null;
        _start = _end = 0;
    }
}
