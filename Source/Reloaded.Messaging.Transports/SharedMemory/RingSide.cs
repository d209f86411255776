using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>One side of the two rings of a connection. Sends and receives bytes, lets the threads of this side sleep, and wakes the threads of the other side.</summary>
/// <remarks>At most one send and one receive run at a time; the two may overlap. The members are called between <see cref="SharedMap.TryEnter"/> and <see cref="SharedMap.Exit"/>.</remarks>
internal sealed unsafe class RingSide
{
    /// <summary>The maximum number of bytes that are published together. The other side reads the first part of a large send while the next part is written.</summary>
    private const int MaxPart = 32 * 1024;

    private const int LooksPerPause = 8;
    private const int LooksPerTimestamp = 64;

    /// <summary>How long a side looks without giving up its processor: longer than an answer takes if both sides are awake.</summary>
    private static readonly long s_withoutYield = Stopwatch.Frequency / 666_667; // 1.5 µs

    private readonly RingProducer _out;
    private readonly RingConsumer _in;
    private readonly int* _otherConsumerSleep;
    private readonly int* _otherProducerSleep;
    private readonly WakeSignals _signals;
    private readonly Lifeline _lifeline;
    private readonly string _remoteName;
    private readonly Receiver _receiver;
    private readonly Sender _sender;
    private long _sent;

    /// <param name="map">The map.</param>
    /// <param name="capacity">The size of each ring, in bytes.</param>
    /// <param name="isServer">Whether this side is the server, which writes the first ring.</param>
    /// <param name="lifeline">The connection that ends with the other process.</param>
    /// <param name="signals">The signals that wake sleeping threads.</param>
    /// <param name="spinTime">The time to spin before a thread sleeps; <c>null</c> to adapt the time.</param>
    /// <param name="remoteName">The name of the other side.</param>
    public RingSide(SharedMap map, int capacity, bool isServer, Lifeline lifeline, WakeSignals signals, TimeSpan? spinTime, string remoteName)
    {
        (_signals, _lifeline, _remoteName) = (signals, lifeline, remoteName);
        var (outgoing, incoming) = isServer ? (RingLayout.ServerRing, RingLayout.ClientRing) : (RingLayout.ClientRing, RingLayout.ServerRing);
        var (outgoingData, incomingData) = isServer ? (0, capacity) : (capacity, 0);
        _out = new RingProducer(new Ring(map.Start, outgoing, RingLayout.Data + (long)outgoingData, capacity));
        _in = new RingConsumer(new Ring(map.Start, incoming, RingLayout.Data + (long)incomingData, capacity));
        _otherConsumerSleep = (int*)(map.Start + outgoing + RingLayout.ConsumerSleep);
        _otherProducerSleep = (int*)(map.Start + incoming + RingLayout.ProducerSleep);
        _receiver = new Receiver(this, map, (int*)(map.Start + incoming + RingLayout.ConsumerSleep), spinTime);
        _sender = new Sender(this, map, (int*)(map.Start + outgoing + RingLayout.ProducerSleep), spinTime);
    }

    public bool HasBytes => _in.HasBytes;

    /// <summary>The number of bytes that the other side has read.</summary>
    public long SentBytes => Volatile.Read(ref _sent) - _out.Unread;

    private bool IsOtherEnded => _lifeline.IsOtherGone || _in.End != RingEnd.Open;

    public ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (TryReceive(buffer.Span, out var received, out var failure) ||
            (Spin(forRoom: false, _receiver.SpinTime, out var begun) && TryReceive(buffer.Span, out received, out failure)))
            return failure is null ? new ValueTask<int>(received) : new ValueTask<int>(Task.FromException<int>(failure));
        return _receiver.WaitAsync(buffer, begun, cancellationToken);
    }

    public ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        long begun;
        do
        {
            if (TrySend(ref frames, out var failure))
                return failure is null ? default : new ValueTask(Task.FromException(failure));
        }
        while (Spin(forRoom: true, _sender.SpinTime, out begun));

        return _sender.WaitAsync(frames, begun, cancellationToken);
    }

    /// <summary>Ends the pending receive and send, and all later waits. The caller then calls <see cref="Notify"/>.</summary>
    public void EndWaits()
    {
        _receiver.End();
        _sender.End();
    }

    /// <summary>Publishes that this side sends and receives nothing more, and wakes the sleeping threads of the other side.</summary>
    public void End(RingEnd end)
    {
        _out.End(end);
        WakeOther(_otherConsumerSleep, _signals.OtherConsumer);
        WakeOther(_otherProducerSleep, _signals.OtherProducer);
    }

    /// <summary>Wakes the threads of this side, because the channel was closed or the other process has ended.</summary>
    public void Notify()
    {
        _receiver.Notify();
        _sender.Notify();
    }

    /// <summary>Creates the exception for an operation of a channel that this side has closed.</summary>
    public TransportClosedException Closed() => TransportClosedException.Here(_remoteName);

    private static void WakeOther(int* word, WakeSignal signal)
    {
        Interlocked.MemoryBarrier(); // the remote side sees the earlier publication, or this side sees that the remote side sleeps
        if (Volatile.Read(ref *word) == SleepState.Waiting && Interlocked.Exchange(ref *word, SleepState.Awake) == SleepState.Waiting)
            signal.Wake(word);
    }

    /// <summary>Receives the available bytes. Called by the one receive.</summary>
    /// <returns><c>true</c> if the receive is complete: with bytes, with 0 at the end, or with a failure; otherwise, <c>false</c>.</returns>
    private bool TryReceive(Span<byte> buffer, out int received, out Exception? failure)
    {
        failure = null;
        if (!TryRead(buffer, out received))
        {
            failure = Damaged();
            return true;
        }

        if (received > 0 || (buffer.IsEmpty && _in.HasBytes)) // an SslStream waits for bytes with an empty buffer
            return true;
        var (isGone, end) = (_lifeline.IsOtherGone, _in.End);
        if (!isGone && end == RingEnd.Open)
            return false;

        // Read again: bytes may have arrived between the first read and the end. A thread that has seen the end sees them.
        if (!TryRead(buffer, out received))
            failure = Damaged();
        else if (received == 0 && end != RingEnd.Complete)
            failure = new TransportClosedException($"{_remoteName} broke off: its process has ended or has aborted the connection.");
        return true;
    }

    /// <summary>Sends the bytes for which the ring has room, and removes them from <paramref name="frames"/>. Called by the one send.</summary>
    /// <returns><c>true</c> if the send has succeeded or failed; <c>false</c> if bytes are left.</returns>
    private bool TrySend(ref ReadOnlyMemory<byte> frames, out Exception? failure)
    {
        failure = null;
        if (IsOtherEnded)
        {
            failure = new TransportClosedException($"{_remoteName} has closed the connection.");
            return true;
        }

        if (!TryWrite(frames.Span, out var sent))
        {
            failure = Damaged();
            return true;
        }

        frames = frames.Slice(sent);
        Volatile.Write(ref _sent, _sent + sent);
        return frames.IsEmpty;
    }

    /// <summary>Reads the available bytes, and wakes a sender of the other side.</summary>
    /// <returns><c>false</c> if the map is damaged; otherwise, <c>true</c>.</returns>
    private bool TryRead(Span<byte> buffer, out int received)
    {
        if (!_in.TryRead(buffer, out received))
            return false;
        if (received > 0)
            WakeOther(_otherProducerSleep, _signals.OtherProducer);
        return true;
    }

    /// <summary>Writes the bytes for which the ring has room, and wakes a receiver of the other side.</summary>
    /// <returns><c>false</c> if the map is damaged; otherwise, <c>true</c>.</returns>
    private bool TryWrite(ReadOnlySpan<byte> frames, out int sent)
    {
        sent = 0;
        while (sent < frames.Length)
        {
            if (!_out.TryWrite(frames.Slice(sent, Math.Min(frames.Length - sent, MaxPart)), out var written))
                return false;
            if (written == 0)
                break;
            sent += written;
            WakeOther(_otherConsumerSleep, _signals.OtherConsumer);
        }

        return true;
    }

    /// <summary>Checks for bytes or for room repeatedly, until the time is over.</summary>
    /// <param name="forRoom">Whether to check for room instead of bytes.</param>
    /// <param name="time">The maximum time, which adapts to the result.</param>
    /// <param name="begun">Receives the time at which the check began, as a timestamp of <see cref="Stopwatch"/>.</param>
    /// <returns><c>true</c> if there are bytes or room; otherwise, <c>false</c>.</returns>
    private bool Spin(bool forRoom, SpinTime time, out long begun)
    {
        begun = Stopwatch.GetTimestamp();
        if (time.Ticks == 0)
            return false;
        while (true)
        {
            for (var i = 1; i <= LooksPerTimestamp; i++)
            {
                if (forRoom ? _out.HasRoom : _in.HasBytes)
                {
                    time.NoteWait(0);
                    return true;
                }

                if (i % LooksPerPause == 0)
                    Thread.SpinWait(1);
            }

            var spent = Stopwatch.GetTimestamp() - begun;
            if (spent >= time.Ticks)
                return false;
            if (spent >= s_withoutYield)
                Thread.Yield(); // the thread that answers may need this processor
        }
    }

    private TransportClosedException Damaged() => new(
        TransportCloseReason.Tampered,
        $"The memory shared with {_remoteName} was damaged: a position in it is out of range. The other process, or another of this user, wrote to it.");

    /// <summary>The receive that waits for bytes.</summary>
    private sealed class Receiver(RingSide side, SharedMap map, int* word, TimeSpan? spinTime) : RingWaiter(side, map, word, side._signals.OwnConsumer, spinTime, "Shared memory, receiving")
    {
        private Memory<byte> _buffer;

        protected override bool CanComplete => Side._in.HasBytes || Side.IsOtherEnded;

        public ValueTask<int> WaitAsync(Memory<byte> buffer, long begun, CancellationToken cancellationToken)
        {
            _buffer = buffer;
            if (!TryBegin(begun, cancellationToken))
                return new ValueTask<int>(Task.FromException<int>(Side.Closed()));
            var task = Wait.AsTask();
            Start();
            return task;
        }

        protected override bool TryComplete(out int result, out Exception? failure) => Side.TryReceive(_buffer.Span, out result, out failure);
    }

    /// <summary>The send that waits for room.</summary>
    private sealed class Sender(RingSide side, SharedMap map, int* word, TimeSpan? spinTime) : RingWaiter(side, map, word, side._signals.OwnProducer, spinTime, "Shared memory, sending")
    {
        private ReadOnlyMemory<byte> _frames;

        protected override bool CanComplete => Side._out.HasRoom || Side.IsOtherEnded;

        public ValueTask WaitAsync(ReadOnlyMemory<byte> frames, long begun, CancellationToken cancellationToken)
        {
            _frames = frames;
            if (!TryBegin(begun, cancellationToken))
                return new ValueTask(Task.FromException(Side.Closed()));
            var task = Wait.AsVoidTask();
            Start();
            return task;
        }

        protected override bool TryComplete(out int result, out Exception? failure)
        {
            result = 0;
            return Side.TrySend(ref _frames, out failure);
        }
    }
}

/// <summary>The pending receive or the pending send of one side, and the thread that completes it. The thread sleeps until the other side wakes it.</summary>
/// <remarks>
/// The thread starts with the first wait and ends with the channel. The message that ends a wait is handled on this thread, without a hop to another
/// thread. The order of the steps in <see cref="Run"/> ensures that no wake-up is lost: <c>docs/specification/shared-memory.md</c> has the argument, and the model in
/// the test folder checks it.
/// </remarks>
internal abstract unsafe class RingWaiter
{
    private readonly object _gate = new();
    private readonly SharedMap _map;
    private readonly int* _word;
    private readonly WakeSignal _signal;
    private readonly string _name;
    private long _begun;
    private int _isStarted;
    private volatile bool _isOver;

    /// <param name="side">The side whose operations wait.</param>
    /// <param name="map">The map, in use until the thread ends.</param>
    /// <param name="word">The word of the map that tells the other side whether the thread sleeps.</param>
    /// <param name="signal">The signal that wakes the thread.</param>
    /// <param name="spinTime">The time to spin before a wait; <c>null</c> to adapt the time.</param>
    /// <param name="name">The name of the thread.</param>
    protected RingWaiter(RingSide side, SharedMap map, int* word, WakeSignal signal, TimeSpan? spinTime, string name)
    {
        (Side, _map, _signal, _name) = (side, map, signal, name);
        _word = word;
        SpinTime = new SpinTime(spinTime);
        Wait = new ReceiveWait<int>(_gate);
    }

    /// <summary>The time to spin before a wait, which adapts to each wait.</summary>
    public readonly SpinTime SpinTime;

    protected RingSide Side { get; }

    protected ReceiveWait<int> Wait { get; }

    /// <summary>Whether the waiting operation can continue, or has failed.</summary>
    protected abstract bool CanComplete { get; }

    /// <summary>Ends the pending wait and all later waits. The caller then calls <see cref="Notify"/>.</summary>
    public void End()
    {
        lock (_gate)
            _isOver = true;
    }

    /// <summary>Wakes the thread, whatever the value of the word: the other process may have ended after it cleared the word and before it gave the signal.</summary>
    public void Notify()
    {
        Interlocked.MemoryBarrier(); // a thread that starts meanwhile sees why it is notified, or this thread sees that it has started
        if (Volatile.Read(ref _isStarted) == 0)
            return;
        Interlocked.Exchange(ref *_word, SleepState.Awake);
        _signal.Wake(_word);
    }

    /// <summary>Begins a wait. The caller then gets the task of <see cref="Wait"/>, and calls <see cref="Start"/>.</summary>
    /// <param name="begun">The time at which the operation began, as a timestamp of <see cref="Stopwatch"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns><c>false</c> if the channel was closed; otherwise, <c>true</c>.</returns>
    protected bool TryBegin(long begun, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_isOver)
                return false;
            _begun = begun;
            Wait.Begin(cancellationToken);
            return true;
        }
    }

    /// <summary>Starts the thread, or wakes it for the wait that has begun.</summary>
    protected void Start()
    {
        if (Interlocked.Exchange(ref _isStarted, 1) != 0)
            Notify();
        else if (_map.TryEnter())
            new Thread(Run) { IsBackground = true, Name = _name }.UnsafeStart();
        else
            Complete(); // the channel was closed meanwhile, so no thread will complete the wait
    }

    /// <summary>Continues the operation. Called under the lock, on the thread.</summary>
    /// <returns><c>true</c> if the operation has succeeded or failed; otherwise, <c>false</c>.</returns>
    protected abstract bool TryComplete(out int result, out Exception? failure);

    private void Run()
    {
        while (!_isOver)
        {
            var isWaiting = Wait.IsPending;
            if (isWaiting && CanComplete)
            {
                Complete();
                continue;
            }

            var state = isWaiting ? SleepState.Waiting : SleepState.Idle;
            Volatile.Write(ref *_word, state);
            Interlocked.MemoryBarrier(); // the other side sees that this side sleeps, or this side sees what the other side did
            if (!_isOver && Wait.IsPending == isWaiting && !(isWaiting && CanComplete))
                _signal.Wait(_word, state);
            Volatile.Write(ref *_word, SleepState.Awake);
        }

        Complete();
        _map.Exit();
    }

    /// <summary>Continues the pending operation, if there is one, and ends its wait when the operation is complete.</summary>
    private void Complete()
    {
        int result;
        Exception? failure;
        lock (_gate)
        {
            if (!Wait.IsPending)
                return;
            if (_isOver)
                (result, failure) = (0, Side.Closed());
            else if (!TryComplete(out result, out failure))
                return;
            Wait.TryTake();
        }

        SpinTime.NoteWait(Stopwatch.GetTimestamp() - _begun);
        if (failure is null)
            Wait.SetResult(result);
        else
            Wait.SetException(failure);
    }
}
