using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Packing;
using Reloaded.Messaging.Queueing;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.Receiving;

/// <summary>Messages that wait for the program to pump them, and what goes on after an <c>await</c> in a pumped handler.</summary>
internal sealed class PumpQueue(MessageHost host, int capacity, int bytes) : SynchronizationContext, IDisposable
{
    private readonly MessageQueue<Delivery> _messages = new(capacity, QueueFullPolicy.Wait);
    private readonly PumpRoom _room = new(bytes);
    private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private Func<PackedMessage, Delivery, bool>? _handle;

    /// <summary>Adds a message, which is the queue's from here on; once there is room, or its peer is gone.</summary>
    public ValueTask EnqueueAsync(PackedMessage message, Delivery delivery) =>
        _room.TryTake(message.Length) ? EnqueueInRoomAsync(message, delivery) : EnqueueLaterAsync(message, delivery);

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
            return _messages.PumpEach(_handle ??= Handle, budget);
        }
        finally
        {
            SetSynchronizationContext(previous);
        }
    }

    /// <summary>The messages that wait.</summary>
    public int Count => _messages.Count;

    public void Dispose() => _messages.Dispose();

    private async ValueTask EnqueueLaterAsync(PackedMessage message, Delivery delivery)
    {
        try
        {
            await _room.TakeAsync(message.Length, delivery.Peer.Ended).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            message.Dispose();
            throw;
        }

        await EnqueueInRoomAsync(message, delivery).ConfigureAwait(false);
    }

    private ValueTask EnqueueInRoomAsync(PackedMessage message, Delivery delivery)
    {
        ValueTask<EnqueueStatus> enqueuing;
        try
        {
            enqueuing = _messages.EnqueueAsync(message, delivery, delivery.Peer.Ended);
        }
        catch (OperationCanceledException)
        {
            Drop(message);
            throw;
        }

        if (!enqueuing.IsCompletedSuccessfully)
            return FinishAsync(enqueuing, message);
        if (enqueuing.Result != EnqueueStatus.Enqueued)
            Drop(message); // nobody will pump any more
        return default;
    }

    private void Drop(PackedMessage message)
    {
        _room.Free(message.Length);
        message.Dispose();
    }

    private async ValueTask FinishAsync(ValueTask<EnqueueStatus> enqueuing, PackedMessage message)
    {
        var isTaken = false;
        try
        {
            isTaken = await enqueuing.ConfigureAwait(false) == EnqueueStatus.Enqueued;
        }
        finally
        {
            if (!isTaken)
                Drop(message);
        }
    }

    private bool Handle(PackedMessage message, Delivery delivery)
    {
        _room.Free(message.Length);
        MessageHeader.TryRead(message.Span, out var header, out _);
        var outcome = HandlerCall.Run(host, message.Span, in header, delivery);
        if (delivery.Kind == MessageKind.Request)
            delivery.Peer.NotePumped(delivery.CorrelationId);
        switch (outcome)
        {
            case HandlerOutcome.Malformed:
                if (delivery.Peer.CountMalformed() is { } reason)
                    delivery.Peer.End(reason);
                return false;
            case HandlerOutcome.TooManyRunning:
                delivery.Peer.End(DisconnectReason.TooManyRunningHandlers);
                return true;
            default:
                return true;
        }
    }
}
