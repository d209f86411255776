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
internal sealed class PumpQueue(MessageHost host, int capacity) : SynchronizationContext, IDisposable
{
    private readonly MessageQueue<Delivery> _messages = new(capacity + 1); // one more than is full: each loop looks before it adds
    private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private TaskCompletionSource? _room;

    public bool IsFull => _messages.Count >= capacity;

    public void Enqueue(PackedMessage message, Delivery delivery)
    {
        if (_messages.Enqueue(message, delivery) is EnqueueStatus.Enqueued)
            return;
        message.Dispose();
        if (delivery.Kind == MessageKind.Request)
            delivery.Peer.SendFault(0, delivery.CorrelationId, FaultCode.HandlerFailed, "The host's queue is full.");
    }

    /// <summary>Waits for the next pump.</summary>
    public Task WaitForRoomAsync(CancellationToken cancellationToken)
    {
        var room = Volatile.Read(ref _room);
        if (room is null)
        {
            var made = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            room = Interlocked.CompareExchange(ref _room, made, null) ?? made;
        }

        return IsFull ? room.Task.WaitAsync(cancellationToken) : Task.CompletedTask;
    }

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
            return _messages.Pump(Handle, budget);
        }
        finally
        {
            SetSynchronizationContext(previous);
            Interlocked.Exchange(ref _room, null)?.SetResult();
        }
    }

    public void Dispose()
    {
        _messages.Dispose();
        Interlocked.Exchange(ref _room, null)?.SetResult();
    }

    private bool Handle(PackedMessage message, Delivery delivery)
    {
        MessageHeader.TryRead(message.Span, out var header, out _);
        switch (HandlerCall.Run(host, message.Span, in header, delivery))
        {
            case HandlerOutcome.Malformed:
                host.CountMalformed();
                return false;
            case HandlerOutcome.TooManyRunning:
                delivery.Peer.End(DisconnectReason.TooManyRunningHandlers);
                return true;
            default:
                return true;
        }
    }
}
