using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>One side of a connection over shared memory.</summary>
/// <remarks>
/// <para>
/// Bytes go through two rings. A second channel, over a socket or a pipe, is silent while both sides live. The system closes it when the other
/// process ends, however that ends: so a death is noticed at once.
/// </para>
/// <para>
/// A receive copies its bytes out of the map before anything looks at them, since the other process can change the map at any time. A receive
/// that waits is completed on a thread of the channel, which then handles the messages. That saves a hop through the thread pool.
/// </para>
/// </remarks>
internal sealed class SharedMemoryChannel : TransportChannel
{
    private readonly SharedMap _map;
    private readonly Lifeline _lifeline;
    private readonly RingSide _side;
    private readonly ReceiveOperation _receiving;
    private readonly SendOperation _sending;
    private readonly RingWaiter _receiveWaiter;
    private readonly RingWaiter _sendWaiter;
    private readonly SpinTime _receiveSpin;
    private readonly SpinTime _sendSpin;
    private long _sent;
    private int _isClosed;

    /// <param name="map">The map; the channel's from now on, with the signals.</param>
    /// <param name="capacity">The size of each ring.</param>
    /// <param name="isServer">Which of the rings this side writes.</param>
    /// <param name="lifeline">The connection that ends with the other process. The channel owns it.</param>
    /// <param name="signals">How sleeping threads are woken.</param>
    /// <param name="spinTime">How long to spin before sleeping; <c>null</c> to adapt the time.</param>
    /// <param name="remoteName">The name of the other side.</param>
    public SharedMemoryChannel(SharedMap map, int capacity, bool isServer, TransportChannel lifeline, WakeSignals signals, TimeSpan? spinTime, string remoteName)
    {
        (_map, _lifeline, RemoteName) = (map, new Lifeline(lifeline, map, signals), remoteName);
        map.FreedWithMap = signals;
        (_receiveSpin, _sendSpin) = (new SpinTime(spinTime), new SpinTime(spinTime));
        _side = new RingSide(map, capacity, isServer, signals.OtherConsumer, signals.OtherProducer);
        (_receiving, _sending) = (new ReceiveOperation(this, _receiveSpin), new SendOperation(this, _sendSpin));
        unsafe
        {
            _receiveWaiter = new RingWaiter(map, _side.ConsumerSleep, signals.OwnConsumer, _receiving, "Shared memory, receiving");
            _sendWaiter = new RingWaiter(map, _side.ProducerSleep, signals.OwnProducer, _sending, "Shared memory, sending");
        }
    }

    public override string RemoteName { get; }

    public override long? SentBytes
    {
        get
        {
            if (!_map.TryEnter())
                return null;
            var taken = Volatile.Read(ref _sent) - _side.Unread;
            _map.Exit();
            return taken;
        }
    }

    public override bool HasUnread
    {
        get
        {
            if (!_map.TryEnter())
                return false;
            var hasBytes = _side.HasBytes;
            _map.Exit();
            return hasBytes;
        }
    }

    /// <summary>Whether a receive would end now, with bytes or without.</summary>
    internal bool CanReceive => _side.HasBytes || IsOtherEnded;

    /// <summary>Whether a send would go on now, or fail.</summary>
    internal bool CanSend => _side.HasRoom || IsOtherEnded;

    private bool IsOtherEnded => _lifeline.IsOtherGone || _side.OtherEnd != RingEnd.Open;

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return new ValueTask<int>(Task.FromCanceled<int>(cancellationToken));
        if (!_map.TryEnter())
            return new ValueTask<int>(Task.FromException<int>(Closed()));
        try
        {
            if (TryReceive(buffer.Span, out var received, out var failure) ||
                (_side.Spin(forRoom: false, _receiveSpin, out var begun) && TryReceive(buffer.Span, out received, out failure)))
                return failure is null ? new ValueTask<int>(received) : new ValueTask<int>(Task.FromException<int>(failure));
            if (!_receiving.TryBegin(buffer, begun, cancellationToken))
                return new ValueTask<int>(Task.FromException<int>(Closed()));
            var task = _receiving.IntTask();
            _receiveWaiter.Begin();
            return task;
        }
        finally
        {
            _map.Exit();
        }
    }

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return new ValueTask(Task.FromCanceled(cancellationToken));
        if (!_map.TryEnter())
            return new ValueTask(Task.FromException(Closed()));
        try
        {
            long begun;
            do
            {
                if (TrySend(ref frames, out var failure))
                    return failure is null ? default : new ValueTask(Task.FromException(failure));
            }
            while (_side.Spin(forRoom: true, _sendSpin, out begun));

            if (!_sending.TryBegin(frames, begun, cancellationToken))
                return new ValueTask(Task.FromException(Closed()));
            var task = _sending.Task();
            _sendWaiter.Begin();
            return task;
        }
        finally
        {
            _map.Exit();
        }
    }

    public override void Abort() => Close(RingEnd.Aborted);

    /// <summary>Ends this side. The remote side keeps the memory, and so receives all bytes that were sent.</summary>
    public override ValueTask DisposeAsync()
    {
        Close(RingEnd.Complete);
        return _lifeline.DisposeAsync();
    }

    /// <summary>Begins to look for the end of the other process.</summary>
    /// <param name="file">The name of the map, removed once the other side has mapped it; <c>null</c> on the side that did not create it.</param>
    public void Watch(MapFile? file) => _ = _lifeline.WatchAsync(file, Notify);

    /// <summary>Receives what there is. For the one receive.</summary>
    /// <returns>Whether the receive is complete: with bytes, with 0 at the end, or with a failure.</returns>
    internal bool TryReceive(Span<byte> buffer, out int received, out Exception? failure)
    {
        failure = null;
        if (!_side.TryReceive(buffer, out received))
        {
            failure = Damaged();
            return true;
        }

        if (received > 0)
            return true;
        var (isGone, end) = (_lifeline.IsOtherGone, _side.OtherEnd);
        if (!isGone && end == RingEnd.Open)
            return false;

        // Read again: bytes may have arrived between the first read and the end. A thread that has seen the end sees them.
        if (!_side.TryReceive(buffer, out received))
            failure = Damaged();
        else if (received == 0 && end != RingEnd.Complete)
            failure = new TransportClosedException($"{RemoteName} broke off: its process has ended or has aborted the connection.");
        return true;
    }

    /// <summary>Sends what there is room for, and removes it from <paramref name="frames"/>. For the one send.</summary>
    /// <returns>Whether the send is complete, by its success or its failure.</returns>
    internal bool TrySend(ref ReadOnlyMemory<byte> frames, out Exception? failure)
    {
        failure = null;
        if (IsOtherEnded)
        {
            failure = new TransportClosedException($"{RemoteName} has closed the connection.");
            return true;
        }

        if (!_side.TrySend(frames.Span, out var sent))
        {
            failure = Damaged();
            return true;
        }

        frames = frames.Slice(sent);
        Volatile.Write(ref _sent, _sent + sent);
        return frames.IsEmpty;
    }

    internal TransportClosedException Closed() => new($"The connection to {RemoteName} was closed on this side.");

    private TransportClosedException Damaged() => new(
        TransportCloseReason.Tampered,
        $"The memory shared with {RemoteName} was damaged: a position in it is out of range. The other process, or another of this user, wrote to it.");

    private void Close(RingEnd end)
    {
        if (Interlocked.Exchange(ref _isClosed, 1) != 0)
            return;
        _receiving.End();
        _sending.End();
        if (_map.TryEnter())
        {
            _side.End(end);
            _map.Exit();
        }

        Notify();
        _lifeline.Abort();
        _map.Dispose();
    }

    private void Notify()
    {
        if (!_map.TryEnter())
            return;
        _receiveWaiter.Notify();
        _sendWaiter.Notify();
        _map.Exit();
    }
}
