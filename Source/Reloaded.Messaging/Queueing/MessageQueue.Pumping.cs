using System;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging;

/// <content>Taking messages, with or without a filter.</content>
public sealed partial class MessageQueue<TSender>
{
    private readonly DeferredMessages<Entry> _left = new();

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
        var every = default(AcceptAllMessages<TSender>);
        return PumpWith(new StateStep<TSender, TState>(dispatcher), ref state, ref every, budget, isFiltered: false);
    }

    /// <summary>Dispatches the queued messages that a filter accepts. The others stay queued, before all later messages.</summary>
    /// <param name="dispatcher">The dispatcher with the handlers.</param>
    /// <param name="state">The state of the handlers, passed by reference.</param>
    /// <param name="filter">The filter, passed by reference.</param>
    /// <param name="budget">The limits of the pump (default: all messages that are queued now).</param>
    /// <returns>The counts of the pump. Skipped messages count as remaining.</returns>
    /// <remarks>
    /// An exception of a handler or of the filter is thrown to the caller. Its message is released and the others stay queued. Skipped messages
    /// use capacity until a pump takes them, as does the message that the filter is deciding about. <see cref="QueueFullMode.DropOldest"/>
    /// does not drop them: a queue that is full of skipped messages refuses new ones.
    /// </remarks>
    public PumpResult Pump<TState, TFilter>(MessageDispatcher<TState> dispatcher, ref TState state, ref TFilter filter, PumpBudget budget = default)
        where TState : IPumpState<TSender>
        where TFilter : IMessageFilter<TSender>
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        return PumpWith(new StateStep<TSender, TState>(dispatcher), ref state, ref filter, budget, isFiltered: true);
    }

    /// <summary>Dispatches queued messages with the sender of each message as the state. One thread at a time.</summary>
    /// <inheritdoc cref="Pump{TState}(MessageDispatcher{TState}, ref TState, PumpBudget)"/>
    public PumpResult Pump(MessageDispatcher<TSender> dispatcher, PumpBudget budget = default)
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        var (every, state) = (default(AcceptAllMessages<TSender>), 0);
        return PumpWith(new SenderStep<TSender>(dispatcher), ref state, ref every, budget, isFiltered: false);
    }

    /// <summary>Takes the skipped messages first, and then those of the ring.</summary>
    private PumpResult PumpWith<TStep, TState, TFilter>(TStep step, ref TState state, ref TFilter filter, PumpBudget budget, bool isFiltered)
        where TStep : struct, IPumpStep<TSender, TState>
        where TFilter : IMessageFilter<TSender>
    {
        var run = new PumpRun(budget, Count);
        var returns = ThreadCache.Current.Elsewhere;
        returns.Begin();
        try
        {
            if (_left.Count > 0)
                PumpRemaining(step, ref state, ref filter, ref run, isFiltered);
            while (run.GoesOn)
            {
                // The capacity of the skipped messages moves along: it is freed before a producer can use it, and reduced again when the message is handled.
                if (isFiltered)
                    _ring.Room--;
                if (!_ring.TryTake(out var entry))
                {
                    if (isFiltered)
                        _ring.Room++;
                    break;
                }

                run.See();
                if (isFiltered && !IsTaken(in entry, ref filter))
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

    private void PumpRemaining<TStep, TState, TFilter>(TStep step, ref TState state, ref TFilter filter, ref PumpRun run, bool isFiltered)
        where TStep : struct, IPumpStep<TSender, TState>
        where TFilter : IMessageFilter<TSender>
    {
        var waiting = _left.Count;
        try
        {
            while (waiting > 0 && run.GoesOn && _left.TryTake(out var entry))
            {
                waiting--;
                run.See();
                if (!isFiltered)
                    _ring.Room++;
                else if (!IsTaken(in entry, ref filter))
                    continue;
                using var message = entry.Message;
                run.Count(step.Handle(message, entry.Sender, ref state));
            }
        }
        finally
        {
            // Messages that were skipped again were appended at the end. The unvisited ones follow them there, so that the order stays the same.
            for (; isFiltered && waiting > 0 && _left.TryTake(out var entry); waiting--)
                Leave(in entry);
        }
    }

    /// <returns><c>true</c> if the filter accepts the message, which then uses no capacity; <c>false</c> if the message was skipped.</returns>
    private bool IsTaken<TFilter>(in Entry entry, ref TFilter filter)
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

        if (isLeft)
            Leave(in entry);
        return !isLeft;
    }

    private void Leave(in Entry entry)
    {
        if (!_left.TryAdd(in entry))
            entry.Message.Dispose(); // the queue was disposed
    }
}
