using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Queues the messages of a host, and handles them inside <see cref="MessageHost.Pump"/>.</summary>
internal sealed class HostPump
{
    private readonly MessageHost _host;
    private readonly PumpQueue<MessageContext> _queue;

    public HostPump(MessageHost host, Action<PumpStall> stalled)
    {
        _host = host;
        var options = host.Options;
        _queue = new PumpQueue<MessageContext>(options.PumpCapacity, options.PumpBytes, options.Limits.MaxPeers);
        Watch = new PumpWatch(() => _queue.Count, options.RequestTimeout, stalled);
    }

    /// <summary>The number of queued messages.</summary>
    public int Count => _queue.Count;

    /// <summary>The context in which the continuations of asynchronous handlers run.</summary>
    public SynchronizationContext Context => _queue;

    public PumpWatch Watch { get; }

    /// <inheritdoc cref="PumpQueue{TContext}.EnqueueAsync"/>
    public ValueTask EnqueueAsync(PeerQueue queue, PackedMessage message, MessageContext context) =>
        _queue.EnqueueAsync(queue, message, context, context.Peer.Connection.Ended);

    /// <inheritdoc cref="MessageHost.Pump"/>
    public PumpResult Pump(PumpBudget budget)
    {
        Watch.NotePump();
        try
        {
            return _queue.Pump(budget, new Handler(_host));
        }
        finally
        {
            Watch.NotePump();
        }
    }

    /// <summary>Releases the queued messages, and reports them as unhandled.</summary>
    public void Close()
    {
        var released = new Dictionary<Peer, int>();
        foreach (var context in _queue.Close())
        {
            released.TryGetValue(context.Peer, out var count);
            released[context.Peer] = count + 1;
        }

        foreach (var (peer, count) in released)
            _host.NoteUnhandled(peer, count);
    }

    private readonly struct Handler(MessageHost host) : IPumpedMessageHandler<MessageContext>
    {
        public bool Handle(ReadOnlySpan<byte> message, in MessageContext context)
        {
            var outcome = HandlerCall.Run(host, message, context);
            var peer = context.Peer;
            if (context.Kind == MessageKind.Request)
                peer.Answering.NotePumped(context.CorrelationId);
            switch (outcome)
            {
                case HandlerOutcome.Malformed:
                    if (peer.Connection.CountMalformed() is { } reason)
                        peer.Connection.End(reason);
                    return false;
                case HandlerOutcome.TooManyRunning:
                    peer.Connection.End(DisconnectReason.TooManyRunningHandlers);
                    return true;
                default:
                    return true;
            }
        }
    }
}
