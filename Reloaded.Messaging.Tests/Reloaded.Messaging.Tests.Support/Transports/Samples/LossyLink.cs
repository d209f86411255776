using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>One direction of a connection.</summary>
internal sealed class LossyLink(LossyTransport transport, Random random, TimeProvider time)
{
    private const int MaxWaitingBytes = 256 * 1024;

    private readonly object _gate = new();
    private readonly Queue<byte[]> _arrived = [];
    private TaskCompletionSource _changed = NewSignal();
    private int _waitingBytes;
    private int _taken; // of the first packet
    private bool _isComplete;
    private bool _isBroken;

    /// <summary>Sends frames. Waits while the other side does not read.</summary>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        if (delivery != Delivery.Unreliable || (transport.Loss == 0 && transport.Delay == TimeSpan.Zero))
            Arrive(frames.ToArray()); // a copy: the caller uses its memory again
        else
            SendUnreliable(frames);

        while (!HasRoom(out var changed))
            await changed.WaitAsync(cancellationToken);
    }

    /// <summary>Receives the bytes of one packet, or a part of them.</summary>
    public async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        int received;
        while (!TryReceive(buffer.Span, out received, out var changed))
            await changed.WaitAsync(cancellationToken);
        return received;
    }

    /// <summary>Ends the link after the bytes that have arrived.</summary>
    public void Complete() => End(ref _isComplete);

    /// <summary>Ends the link at once.</summary>
    public void Break() => End(ref _isBroken);

    private void SendUnreliable(ReadOnlyMemory<byte> frames)
    {
        var rest = frames.Span;
        while (!rest.IsEmpty)
        {
            var before = rest;
            if (Frame.TryRead(ref rest, int.MaxValue, out _) != FrameStatus.Ok)
                throw new ArgumentException("The bytes to send are not whole frames.", nameof(frames));
            var frame = before.Slice(0, before.Length - rest.Length).ToArray();
            if (random.NextDouble() < transport.Loss)
                transport.CountLost();
            else if (transport.Delay == TimeSpan.Zero)
                Arrive(frame);
            else
                _ = ArriveLaterAsync(frame);
        }
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

    private bool HasRoom(out Task changed)
    {
        lock (_gate)
        {
            changed = _changed.Task;
            if (_isComplete || _isBroken)
                throw new TransportClosedException("The link is closed: nothing more can be sent.");
            return _waitingBytes <= MaxWaitingBytes;
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
