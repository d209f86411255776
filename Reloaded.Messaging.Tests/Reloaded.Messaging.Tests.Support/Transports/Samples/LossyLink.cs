using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>One direction of a connection.</summary>
internal sealed class LossyLink(LossyTransport transport, Random random, TimeProvider time)
{
    private const int MaxWaiting = 64 * 1024;

    private readonly object _gate = new();
    private readonly Queue<byte[]> _arrived = [];
    private TaskCompletionSource _changed = NewSignal();
    private int _waitingBytes;
    private int _taken; // of the first packet
    private bool _isSealed;
    private bool _isComplete;
    private bool _isBroken;

    /// <summary>Called after the other side has read.</summary>
    public Action? BytesLeft { get; set; }

    /// <summary>The bytes that the other side has not read.</summary>
    public int WaitingBytes
    {
        get
        {
            lock (_gate)
                return _waitingBytes;
        }
    }

    /// <summary>Whether the other side has read enough.</summary>
    public bool HasRoom(int size, int maxPending)
    {
        lock (_gate)
            return _waitingBytes == 0 || _waitingBytes + size <= maxPending;
    }

    /// <summary>Sends a message, and a message directly before it, unless the link is full or sealed.</summary>
    public bool TrySend(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, Delivery delivery, int maxPending)
    {
        lock (_gate)
        {
            if (_isComplete || _isBroken)
                throw new TransportClosedException("The link is closed: nothing more can be sent.");
            if (_isSealed || !HasRoom(before.Length + message.Length, maxPending))
                return false;
        }

        if (!before.IsEmpty)
            Send(FrameOf(before), delivery);
        Send(FrameOf(message), delivery);
        return true;
    }

    /// <summary>Sends a last message.</summary>
    public void Seal(ReadOnlySpan<byte> last)
    {
        if (!last.IsEmpty)
            Arrive(FrameOf(last));
        lock (_gate)
            _isSealed = true;
    }

    /// <summary>Sends bytes, which all arrive. Waits while the other side does not read.</summary>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        while (!bytes.IsEmpty)
        {
            var packet = bytes.Slice(0, Math.Min(bytes.Length, MaxWaiting));
            if (TrySend(packet.Span, out var changed))
                bytes = bytes.Slice(packet.Length);
            else
                await changed.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Receives the bytes of one packet, or a part of them.</summary>
    public async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        int received;
        while (!TryReceive(buffer.Span, out received, out var changed))
            await changed.WaitAsync(cancellationToken);
        BytesLeft?.Invoke();
        return received;
    }

    /// <summary>Ends the link after the bytes that have arrived.</summary>
    public void Complete() => End(ref _isComplete);

    /// <summary>Ends the link at once.</summary>
    public void Break() => End(ref _isBroken);

    private void Send(byte[] frame, Delivery delivery)
    {
        if (delivery != Delivery.Unreliable || (transport.Loss == 0 && transport.Delay == TimeSpan.Zero))
            Arrive(frame);
        else if (NextDouble() < transport.Loss)
            transport.CountLost();
        else if (transport.Delay == TimeSpan.Zero)
            Arrive(frame);
        else
            _ = ArriveLaterAsync(frame);
    }

    private bool TrySend(ReadOnlySpan<byte> bytes, out Task changed)
    {
        lock (_gate)
        {
            changed = _changed.Task;
            if (_isComplete || _isBroken)
                throw new TransportClosedException("The link is closed: nothing more can be sent.");
            if (!HasRoom(bytes.Length, MaxWaiting))
                return false;
            Arrive(bytes.ToArray());
            return true;
        }
    }

    private double NextDouble()
    {
        lock (_gate)
            return random.NextDouble();
    }

    private static byte[] FrameOf(ReadOnlySpan<byte> message)
    {
        Span<byte> length = stackalloc byte[UVarint.MaxSize];
        return [.. length.Slice(0, UVarint.Write(length, (uint)message.Length)), .. message];
    }

    private async Task ArriveLaterAsync(byte[] frame)
    {
        var delay = Task.Delay(transport.Delay, time);
        transport.CountDelayed(); // the timer runs: a test that waits for this count may advance the clock
        await delay;
        Arrive(frame);
    }

    private void Arrive(byte[] packet)
    {
        lock (_gate)
        {
            if (_isComplete || _isBroken)
                return; // a delayed frame is lost, and SendAsync throws
            _arrived.Enqueue(packet);
            _waitingBytes += packet.Length;
            SignalChange();
        }
    }

    private bool TryReceive(Span<byte> buffer, out int received, out Task changed)
    {
        lock (_gate)
        {
            (received, changed) = (0, _changed.Task);
            if (_isBroken)
                throw new TransportClosedException("The link broke: nothing more can be received.");
            if (!_arrived.TryPeek(out var packet))
                return _isComplete; // 0 bytes: the end
            received = Math.Min(buffer.Length, packet.Length - _taken);
            packet.AsSpan(_taken, received).CopyTo(buffer);
            _taken += received;
            _waitingBytes -= received;
            if (_taken == packet.Length)
                (_, _taken) = (_arrived.Dequeue(), 0);
            SignalChange();
            return true;
        }
    }

    private void End(ref bool flag)
    {
        lock (_gate)
        {
            flag = true;
            SignalChange();
        }
    }

    private void SignalChange()
    {
        _changed.SetResult();
        _changed = NewSignal();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
