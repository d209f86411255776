using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging;

/// <content>Taking messages, with or without a filter.</content>
public sealed partial class MessageQueue<TSender>
{
    private readonly DeferredMessages _left = new();
    private long _ringTaken; // the messages that pumps have taken from the ring. Its value after a message was taken is the position of the message

    /// <summary>Dispatches queued messages with a state that receives the sender of each message. One thread at a time.</summary>
    /// <param name="dispatcher">The dispatcher with the handlers.</param>
    /// <param name="state">The state of the handlers, passed by reference.</param>
    /// <param name="budget">The limits of the pump (default: all messages that are queued now).</param>
    /// <returns>The counts of the pump.</returns>
    /// <remarks>An exception of a handler is thrown to the caller. Its message is released and the others stay queued; pump again to continue.</remarks>
    public PumpResult Pump<TState>(MessageDispatcher<TState> dispatcher, ref TState state, PumpBudget budget = default)
        where TState : IPumpState<TSender>
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        var every = default(AcceptAllMessages);
        return PumpWith(new StateStep<TState>(dispatcher), ref state, ref every, budget, isFiltered: false);
    }

    /// <summary>Dispatches the queued messages that a filter accepts. The others stay queued, before all later messages.</summary>
    /// <param name="dispatcher">The dispatcher with the handlers.</param>
    /// <param name="state">The state of the handlers, passed by reference.</param>
    /// <param name="filter">The filter, passed by reference.</param>
    /// <param name="budget">The limits of the pump (default: all messages that are queued now).</param>
    /// <returns>The counts of the pump. Skipped messages count as remaining.</returns>
    /// <remarks>
    /// An exception of a handler or of the filter is thrown to the caller. Its message is released and the others stay queued. Skipped messages
    /// use capacity until a pump takes them, as does the message that the filter is deciding about. <see cref="FullMode.DropOldest"/>
    /// does not drop them: a queue that is full of skipped messages refuses new ones.
    /// </remarks>
    public PumpResult Pump<TState, TFilter>(MessageDispatcher<TState> dispatcher, ref TState state, ref TFilter filter, PumpBudget budget = default)
        where TState : IPumpState<TSender>
        where TFilter : IMessageFilter<TSender>
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        return PumpWith(new StateStep<TState>(dispatcher), ref state, ref filter, budget, isFiltered: true);
    }

    /// <summary>Dispatches queued messages with the sender of each message as the state. One thread at a time.</summary>
    /// <inheritdoc cref="Pump{TState}(MessageDispatcher{TState}, ref TState, PumpBudget)"/>
    public PumpResult Pump(MessageDispatcher<TSender> dispatcher, PumpBudget budget = default)
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        var (every, state) = (default(AcceptAllMessages), 0);
        return PumpWith(new SenderStep(dispatcher), ref state, ref every, budget, isFiltered: false);
    }

    private PumpResult PumpWith<TStep, TState, TFilter>(TStep step, ref TState state, ref TFilter filter, PumpBudget budget, bool isFiltered)
        where TStep : struct, IPumpStep<TState>
        where TFilter : IMessageFilter<TSender>
    {
        var (run, position) = (new PumpRun(budget, Count), 0L);
        var returns = ThreadCache.Current.Elsewhere;
        returns.Begin();
        try
        {
            while (run.GoesOn && TryTakeAfter(ref position, isFiltered, out var entry))
            {
                run.See();
                if (isFiltered && !IsTaken(position, in entry, ref filter))
                    continue;
                using var message = entry.Message;
                run.Count(step.Handle(message, entry.Sender, ref state));
            }
        }
        finally
        {
            try
            {
                returns.End();
            }
            finally
            {
                SignalRoom();
            }
        }

        return run.Result(Count);
    }

    /// <summary>Takes the first message after a position: a skipped one, or else the oldest one of the ring.</summary>
    /// <remarks>A handler or a filter may pump too, and skip messages that this pump has not seen. So each step looks for skipped messages again.</remarks>
    private bool TryTakeAfter(ref long position, bool isFiltered, out Entry entry)
    {
        if (position < _ringTaken && _left.Count > 0 && _left.TryTakeAfter(ref position, out entry))
        {
            if (!isFiltered)
                _ring.Room++;
            return true;
        }

        // The capacity of the skipped messages moves along: it is freed before a producer can use it, and reduced again when the message is handled.
        if (isFiltered)
            _ring.Room--;
        if (_ring.TryTake(out entry))
        {
            position = ++_ringTaken;
            return true;
        }

        if (isFiltered)
            _ring.Room++;
        return false;
    }

    /// <returns><c>true</c> if the filter accepts the message, which then uses no capacity; <c>false</c> if the message was skipped.</returns>
    private bool IsTaken<TFilter>(long position, in Entry entry, ref TFilter filter)
        where TFilter : IMessageFilter<TSender>
    {
        var isLeft = false;
        try
        {
            isLeft = !filter.Takes(entry.Message.Span, entry.Sender);
        }
        catch
        {
            entry.Message.Dispose();
            throw;
        }
        finally
        {
            if (!isLeft)
                _ring.Room++;
        }

        if (isLeft && !_left.TryAdd(position, in entry))
            entry.Message.Dispose(); // the queue was disposed
        return !isLeft;
    }

    /// <summary>The action of a pump for each message. It is a struct, so that the loop is compiled for it.</summary>
    private interface IPumpStep<TState>
    {
        DispatchStatus Handle(PackedMessage message, TSender sender, ref TState state);
    }

    /// <summary>Dispatches a message with a state that receives its sender.</summary>
    private readonly struct StateStep<TState>(MessageDispatcher<TState> dispatcher) : IPumpStep<TState>
        where TState : IPumpState<TSender>
    {
        public DispatchStatus Handle(PackedMessage message, TSender sender, ref TState state)
        {
            state.SetSender(sender);
            return dispatcher.Dispatch(message.Span, ref state);
        }
    }

    /// <summary>Dispatches a message with its sender as the state.</summary>
    private readonly struct SenderStep(MessageDispatcher<TSender> dispatcher) : IPumpStep<int>
    {
        public DispatchStatus Handle(PackedMessage message, TSender sender, ref int state) => dispatcher.Dispatch(message.Span, ref sender);
    }

    /// <summary>A filter that accepts all messages. The JIT compiler removes its calls.</summary>
    private readonly struct AcceptAllMessages : IMessageFilter<TSender>
    {
        public bool Takes(ReadOnlySpan<byte> message, TSender sender) => true;
    }

    /// <summary>The messages that filters have skipped, with their positions. All of them are older than the messages in the ring.</summary>
    /// <remarks>
    /// A ring in the order of the positions, which a pump turns while it visits the messages. Written by the pump under a lock, for which only
    /// closing contends. Its memory grows with the first skipped message.
    /// </remarks>
    private sealed class DeferredMessages
    {
        private readonly Queue<(long Position, Entry Entry)> _entries = new(); // also the lock
        private long _back; // the position of the message at the back
        private int _count;
        private bool _isClosed;

        public int Count => Volatile.Read(ref _count);

        /// <returns><c>false</c> once it is closed; otherwise, <c>true</c>.</returns>
        public bool TryAdd(long position, in Entry entry)
        {
            lock (_entries)
            {
                if (_isClosed)
                    return false;
                TurnTo(position);
                Enqueue((position, entry));
                Volatile.Write(ref _count, _entries.Count);
                return true;
            }
        }

        /// <summary>Takes the first message after a position, and sets the position to that of the message.</summary>
        public bool TryTakeAfter(ref long position, out Entry entry)
        {
            lock (_entries)
            {
                TurnTo(position);
                var isTaken = _entries.TryPeek(out var first) && first.Position > position;
                if (isTaken)
                    (position, _) = _entries.Dequeue();
                Volatile.Write(ref _count, _entries.Count);
                entry = first.Entry;
                return isTaken;
            }
        }

        /// <summary>Refuses further messages. Its messages can still be taken.</summary>
        public void Close()
        {
            lock (_entries)
                _isClosed = true;
        }

        /// <summary>Moves messages from the front to the back until those up to a position are last.</summary>
        private void TurnTo(long position)
        {
            while (_entries.TryPeek(out var first))
            {
                var (isBefore, isAfter) = (position < first.Position, position >= _back);
                if (first.Position <= _back ? isBefore || isAfter : isBefore && isAfter)
                    return;
                Enqueue(_entries.Dequeue());
            }
        }

        private void Enqueue((long Position, Entry Entry) added)
        {
            _entries.Enqueue(added);
            _back = added.Position;
        }
    }
}

/// <summary>A dispatcher's state that receives the sender of each message before the message is dispatched.</summary>
/// <typeparam name="TSender">The type of the sender that producers enqueue with each message.</typeparam>
public interface IPumpState<TSender>
{
    /// <summary>Called before each message, on the pumping thread.</summary>
    void SetSender(TSender sender);
}

/// <summary>Selects the queued messages that a pump dispatches. The other messages stay queued in order.</summary>
/// <typeparam name="TSender">The type of the sender that producers enqueue with each message.</typeparam>
/// <remarks>Implement it as a struct with the criteria as fields. It is passed by reference, so that no call needs a closure.</remarks>
public interface IMessageFilter<in TSender>
{
    /// <summary>Decides about one message. Called once for each message that a pump reaches, oldest first, on the pumping thread.</summary>
    /// <param name="message">Header and payload, valid during the call. <see cref="Wire.MessageHeader.TryRead"/> reads its type.</param>
    /// <param name="sender">The sender of the message.</param>
    /// <returns><c>true</c> to dispatch the message now; <c>false</c> to leave it queued.</returns>
    bool Takes(ReadOnlySpan<byte> message, TSender sender);
}
