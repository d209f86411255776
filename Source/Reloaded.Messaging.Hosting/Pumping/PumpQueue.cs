using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Messages that wait for the program to pump them, and what goes on after an <c>await</c> in a pumped handler.</summary>
internal sealed class PumpQueue(MessageHost host, int capacity, int bytes) : SynchronizationContext, IDisposable
{
    private readonly RoundRobinQueue _messages = new(Checked(capacity), bytes, host.Options.Limits.MaxPeers);
    private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _continuations = new();

    /// <summary>The messages that wait.</summary>
    public int Count => _messages.Count;

    /// <summary>Adds a message, which is the queue's from here on; once there is room, or its peer is gone.</summary>
    /// <exception cref="OperationCanceledException">Thrown when the peer is gone while the message waits for room. The message is released.</exception>
    public ValueTask EnqueueAsync(PeerQueue queue, PackedMessage message, MessageContext context) =>
        _messages.Add(queue, message, context) is { } room ? EnqueueLaterAsync(room, queue, message, context) : default;

    public override void Post(SendOrPostCallback d, object? state) => _continuations.Enqueue((d, state));

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("Waiting for the pump from outside of it would be for ever if nobody pumps. Use Post.");

    public PumpResult Pump(PumpBudget budget)
    {
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
        }
    }

    public void Dispose() => _messages.Close();

    private static int Checked(int capacity) => capacity >= 1
        ? capacity
        : throw new ArgumentOutOfRangeException(nameof(capacity), capacity, $"MessageHostOptions.PumpCapacity is {capacity}; a pumped host needs room for at least 1 message.");

    private PumpResult PumpMessages(PumpBudget budget)
    {
        var run = new PumpRun(budget, Count);
        while (run.GoesOn && _messages.TryTake(out var next, out var context))
        {
            run.See();
            using var message = next;
            run.Count(Handle(message, context) ? DispatchStatus.Handled : DispatchStatus.NoHandler);
        }

        return run.Result(Count);
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

    private bool Handle(PackedMessage message, MessageContext context)
    {
        MessageHeader.TryRead(message.Span, out var header, out _);
        var outcome = HandlerCall.Run(host, message.Span, in header, context);
        if (context.Kind == MessageKind.Request)
            context.Peer.Answering.NotePumped(context.CorrelationId);
        switch (outcome)
        {
            case HandlerOutcome.Malformed:
                if (context.Peer.Connection.CountMalformed() is { } reason)
                    context.Peer.Connection.End(reason);
                return false;
            case HandlerOutcome.TooManyRunning:
                context.Peer.Connection.End(DisconnectReason.TooManyRunningHandlers);
                return true;
            default:
                return true;
        }
    }
}
