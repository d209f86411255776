using System.Collections.Concurrent;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The messages that wait for <see cref="MessageHost.Pump"/>, and the context in which the continuations of asynchronous handlers run.</summary>
internal sealed class PumpInbox : SynchronizationContext
{
    private readonly MessageHost _host;
    private readonly PeerQueues<MessageContext> _messages;
    private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private volatile bool _isDetached;
    private Thread? _thread; // the thread that pumps

    public PumpInbox(MessageHost host, Action<PumpStall> stalled)
    {
        _host = host;
        var options = host.Options;
        _messages = new PeerQueues<MessageContext>(options.PumpCapacity, options.PumpBytes, options.Limits.MaxPeers);
        Watch = new PumpWatch(() => _messages.Count, options.RequestTimeout, stalled);
    }

    /// <summary>The number of queued messages.</summary>
    public int Count => _messages.Count;

    /// <summary>Whether messages are queued, or a thread is inside <see cref="Pump"/> and may call a handler.</summary>
    public bool HasWork => Count > 0 || Volatile.Read(ref _thread) is not null;

    public readonly PumpWatch Watch;

    /// <summary>Adds a message. Waits while the queue is full. The queue takes ownership of the message.</summary>
    /// <param name="queue">The peer's queue.</param>
    /// <param name="message">The message.</param>
    /// <param name="context">The message's origin.</param>
    /// <exception cref="OperationCanceledException">The task fails with it when the peer disconnects while the message waits for room, or when the queue is closed. The message is released.</exception>
    public ValueTask EnqueueAsync(PeerQueue queue, PackedMessage message, MessageContext context)
    {
        Task? room;
        try
        {
            room = _messages.Add(queue, message, context);
        }
        catch (OperationCanceledException e)
        {
            message.Dispose();
            return new ValueTask(Task.FromException(e));
        }

        return room is null ? default : EnqueueLaterAsync(room, queue, message, context);
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        _continuations.Enqueue((d, state));
        if (_isDetached)
            _ = Detached.Run(RunDetached);
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("Send would wait forever if the program does not call Pump. Use Post.");

    /// <inheritdoc cref="MessageHost.Pump"/>
    public PumpResult Pump(PumpBudget budget)
    {
        var current = Thread.CurrentThread;
        var pumping = Interlocked.CompareExchange(ref _thread, current, null);
        if (pumping is not null && pumping != current)
            return _isDetached ? default : throw new InvalidOperationException("Another thread is inside Pump of this host. Call Pump on one thread at a time."); // the thread pool runs the last continuations
        var isNested = pumping is not null; // a handler calls Pump
        if (!isNested)
            Watch.NotePump();
        var previous = Current;
        SetSynchronizationContext(this);
        try
        {
            for (var waiting = _continuations.Count; waiting > 0 && _continuations.TryDequeue(out var next); waiting--)
                next.Callback(next.State);
            return PumpMessages(budget);
        }
        finally
        {
            SetSynchronizationContext(previous);
            if (!isNested)
            {
                Watch.NotePump();
                Interlocked.Exchange(ref _thread, null);
                if (_isDetached)
                    RunDetached();
            }
        }
    }

    /// <summary>Runs the waiting and the later continuations on the thread pool, because the host was disposed and the program no longer pumps.</summary>
    public void Detach()
    {
        _isDetached = true;
        _ = Detached.Run(RunDetached);
    }

    /// <summary>Releases the queued messages, and reports them as unhandled.</summary>
    public void Close()
    {
        var released = new Dictionary<Peer, int>();
        foreach (var context in _messages.Close())
        {
            released.TryGetValue(context.Peer, out var count);
            released[context.Peer] = count + 1;
        }

        foreach (var (peer, count) in released)
            _host.NoteUnhandled(peer, count);
    }

    /// <summary>Runs the continuations one after the other, unless another thread does. That thread then runs them.</summary>
    private void RunDetached()
    {
        while (!_continuations.IsEmpty && Interlocked.CompareExchange(ref _thread, Thread.CurrentThread, null) is null)
        {
            var previous = Current;
            SetSynchronizationContext(this);
            while (_continuations.TryDequeue(out var next))
                _host.Events.Call(null, () => next.Callback(next.State));
            SetSynchronizationContext(previous);
            Interlocked.Exchange(ref _thread, null);
        }
    }

    private async ValueTask EnqueueLaterAsync(Task room, PeerQueue queue, PackedMessage message, MessageContext context)
    {
        try
        {
            for (Task? next = room; next is not null; next = _messages.Add(queue, message, context))
                await next.WaitAsync(context.Peer.Connection.Ended).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            message.Dispose();
            throw;
        }
    }

    private PumpResult PumpMessages(PumpBudget budget)
    {
        var run = new PumpRun(budget, Count);
        while (run.GoesOn && _messages.TryTake(out var next, out var context))
        {
            run.See();
            using var message = next;
            run.Count(Handle(message.Span, in context) ? DispatchStatus.Handled : DispatchStatus.NoHandler);
        }

        return run.Result(Count);
    }

    /// <summary>Calls the handler of a message.</summary>
    /// <returns><c>false</c> if the message cannot be read.</returns>
    private bool Handle(ReadOnlySpan<byte> message, in MessageContext context)
    {
        var outcome = MessageHandling.Run(_host, ReceivedMessage.Unread(message), context);
        var peer = context.Peer;
        if (context.Kind == MessageKind.Request)
            peer.Answering.NotePumped(context.CorrelationId);
        Volatile.Write(ref peer.Pumped, peer.Pumped + 1);
        switch (outcome)
        {
            case HandlerOutcome.Malformed:
                if (peer.Connection.CountMalformed() is { } reason)
                    peer.Connection.CloseInBackground(reason);
                return false;
            default:
                return true; // the receive loop waits while too many handlers run
        }
    }
}

/// <summary>Detects that messages wait and the program does not call <see cref="MessageHost.Pump"/>. Reports each such period once.</summary>
/// <param name="getWaiting">Returns the number of queued messages.</param>
/// <param name="longest">The maximum time without a call.</param>
/// <param name="stalled">Called on the thread that calls the check.</param>
internal sealed class PumpWatch(Func<int> getWaiting, TimeSpan longest, Action<PumpStall> stalled)
{
    private int _pumps;
    private int _seenPumps;
    private long _since;
    private volatile bool _isReported;
    private long _stalls;

    /// <summary>The number of detected periods.</summary>
    public long Stalls => Volatile.Read(ref _stalls);

    /// <summary>Whether the last check found that messages wait for too long.</summary>
    public bool IsStalled => _isReported;

    /// <summary>Notes that <see cref="MessageHost.Pump"/> was called or returns.</summary>
    public void NotePump() => Volatile.Write(ref _pumps, _pumps + 1);

    /// <param name="now">The time, by the host's clock.</param>
    public void Check(long now)
    {
        var (pumps, waiting) = (Volatile.Read(ref _pumps), getWaiting());
        var isPumping = pumps % 2 != 0;
        if (pumps != _seenPumps || isPumping || waiting == 0)
        {
            (_seenPumps, _since, _isReported) = (pumps, now, false);
            return;
        }

        var waited = TimeSpan.FromMilliseconds(now - _since);
        if (_isReported || waited < longest)
            return;
        _isReported = true;
        Interlocked.Increment(ref _stalls);
        stalled(new PumpStall(waiting, waited));
    }
}
