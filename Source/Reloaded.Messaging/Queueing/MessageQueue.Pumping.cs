using System;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging;

/// <content>Taking messages out, all of them or those that a filter takes.</content>
public sealed partial class MessageQueue<TSender>
{
    private readonly DeferredMessages<Entry> _left = new();

    /// <summary>Dispatches queued messages with a state that is told each message's sender. One thread at a time.</summary>
    /// <param name="dispatcher">Whose handlers to call.</param>
    /// <param name="state">Passed on to the handlers, by reference.</param>
    /// <param name="budget">When to stop; by default, when all that was queued is done.</param>
    /// <returns>What was done.</returns>
    /// <remarks>An exception from a handler comes out of here: its message is released, the rest stay queued. Pump again to go on.</remarks>
    public PumpResult Pump<TState>(MessageDispatcher<TState> dispatcher, ref TState state, PumpBudget budget = default)
        where TState : IPumpState<TSender>
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        var every = default(AcceptAllMessages<TSender>);
        return PumpWith(new StateStep<TSender, TState>(dispatcher), ref state, ref every, budget, isFiltered: false);
    }

    /// <summary>Dispatches those queued messages that a filter takes. The others stay where they were, in front of what comes later.</summary>
    /// <param name="dispatcher">Whose handlers to call.</param>
    /// <param name="state">Passed on to the handlers, by reference.</param>
    /// <param name="filter">Which messages to dispatch, by reference.</param>
    /// <param name="budget">When to stop; by default, when all that was queued is done.</param>
    /// <returns>What was done. What was left counts as remaining.</returns>
    /// <remarks>
    /// An exception from a handler or the filter comes out of here: its message is released, the rest stay queued. Messages that a filter left take
    /// room until a pump takes them, as does the one that the filter is being asked about, and are not what <see cref="QueueFullMode.DropOldest"/>
    /// drops: a queue that is full of them refuses more.
    /// </remarks>
    public PumpResult Pump<TState, TFilter>(MessageDispatcher<TState> dispatcher, ref TState state, ref TFilter filter, PumpBudget budget = default)
        where TState : IPumpState<TSender>
        where TFilter : IMessageFilter<TSender>
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        return PumpWith(new StateStep<TSender, TState>(dispatcher), ref state, ref filter, budget, isFiltered: true);
    }

    /// <summary>Dispatches queued messages with each one's sender as the state. One thread at a time.</summary>
    /// <inheritdoc cref="Pump{TState}(MessageDispatcher{TState}, ref TState, PumpBudget)"/>
    public PumpResult Pump(MessageDispatcher<TSender> dispatcher, PumpBudget budget = default)
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        var (every, state) = (default(AcceptAllMessages<TSender>), 0);
        return PumpWith(new SenderStep<TSender>(dispatcher), ref state, ref every, budget, isFiltered: false);
    }

    /// <summary>The one loop: first what filters have left, then the ring.</summary>
    private PumpResult PumpWith<TStep, TState, TFilter>(TStep step, ref TState state, ref TFilter filter, PumpBudget budget, bool isFiltered)
        where TStep : struct, IPumpStep<TSender, TState>
        where TFilter : IMessageFilter<TSender>
    {
        var run = new PumpRun(budget, Count);
        try
        {
            if (_left.Count > 0)
                PumpLeft(step, ref state, ref filter, ref run, isFiltered);
            while (run.GoesOn)
            {
                // What is left takes its room along: given up before a producer can fill it, and taken back when the message is handled.
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
            SignalRoom();
        }

        return run.Result(Count);
    }

    private void PumpLeft<TStep, TState, TFilter>(TStep step, ref TState state, ref TFilter filter, ref PumpRun run, bool isFiltered)
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
            // What was left once more went to the end: what was not come to follows it there, and the order is the old one.
            for (; isFiltered && waiting > 0 && _left.TryTake(out var entry); waiting--)
                Leave(in entry);
        }
    }

    /// <returns>Whether the filter takes the message, which then takes no more room; otherwise it was left.</returns>
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
