using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The messages that wait for <c>Pump</c>, and the continuations of asynchronous handlers of a pumped host.</summary>
/// <typeparam name="TContext">The origin of a message.</typeparam>
internal sealed class PumpQueue<TContext>(int capacity, int bytes, int maxPeers) : SynchronizationContext
    where TContext : struct
{
    private readonly RoundRobinQueue<TContext> _messages = new(Checked(capacity), bytes, maxPeers);
    private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _continuations = new();

    /// <summary>The number of queued messages.</summary>
    public int Count => _messages.Count;

    /// <summary>Adds a message. Waits while the queue is full. The queue takes ownership of the message.</summary>
    /// <param name="queue">The peer's queue.</param>
    /// <param name="message">The message.</param>
    /// <param name="context">The message's origin.</param>
    /// <param name="ended">Canceled when the peer disconnects.</param>
    /// <exception cref="OperationCanceledException">The task fails with it when the peer disconnects while the message waits for room, or when the queue is closed. The message is released.</exception>
    public ValueTask EnqueueAsync(PeerQueue queue, PackedMessage message, TContext context, CancellationToken ended)
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

        return room is null ? default : EnqueueLaterAsync(room, queue, message, context, ended);
    }

    public override void Post(SendOrPostCallback d, object? state) => _continuations.Enqueue((d, state));

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("Send would wait forever if the program does not call Pump. Use Post.");

    /// <summary>Runs the queued continuations and the handlers of queued messages. Call it from one thread at a time.</summary>
    public PumpResult Pump<THandler>(PumpBudget budget, THandler handler)
        where THandler : struct, IPumpedMessageHandler<TContext>
    {
        var previous = Current;
        SetSynchronizationContext(this);
        try
        {
            for (var waiting = _continuations.Count; waiting > 0 && _continuations.TryDequeue(out var next); waiting--)
                next.Callback(next.State);
            return PumpMessages(budget, handler);
        }
        finally
        {
            SetSynchronizationContext(previous);
        }
    }

    /// <inheritdoc cref="RoundRobinQueue{TContext}.Close"/>
    public List<TContext> Close() => _messages.Close();

    private static int Checked(int capacity) => capacity >= 1
        ? capacity
        : throw new ArgumentOutOfRangeException(nameof(capacity), capacity, $"MessageHostOptions.PumpCapacity is {capacity}; a pumped host requires at least 1.");

    private async ValueTask EnqueueLaterAsync(Task room, PeerQueue queue, PackedMessage message, TContext context, CancellationToken ended)
    {
        try
        {
            for (Task? next = room; next is not null; next = _messages.Add(queue, message, context))
                await next.WaitAsync(ended).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            message.Dispose();
            throw;
        }
    }

    private PumpResult PumpMessages<THandler>(PumpBudget budget, THandler handler)
        where THandler : struct, IPumpedMessageHandler<TContext>
    {
        var run = new PumpRun(budget, Count);
        while (run.GoesOn && _messages.TryTake(out var next, out var context))
        {
            run.See();
            using var message = next;
            run.Count(handler.Handle(message.Span, in context) ? DispatchStatus.Handled : DispatchStatus.NoHandler);
        }

        return run.Result(Count);
    }
}
