using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Holds the last trace context of one peer until the message after it. Used only by the thread that receives from the peer.</summary>
/// <remarks>A context belongs to the next message of the peer, if the type and the correlation id are equal. Every other context is dropped and counted, so that a peer cannot make this side hold memory.</remarks>
internal sealed class TraceReceiver(Counters<HostCounter> counters)
{
    private TraceContext? _next;

    /// <summary>Stores the context of the next message.</summary>
    public void Add(in ReceivedMessage message)
    {
        Drop();
        _next = message.Header.IsCompressed ? null : TraceContext.TryRead(message.Payload);
        if (_next is null)
            counters.Add(HostCounter.DroppedTraceContexts);
    }

    /// <summary>Drops the context, because the message after it is dropped.</summary>
    public void Drop()
    {
        if (_next is null)
            return;
        _next = null;
        counters.Add(HostCounter.DroppedTraceContexts);
    }

    /// <summary>Takes the context of a message, if there is one.</summary>
    public TraceContext? Take(in MessageHeader header)
    {
        if (_next is not { } context)
            return null;
        _next = null;
        if (context.MessageType == header.Type && context.CorrelationId == header.CorrelationId)
            return context;
        counters.Add(HostCounter.DroppedTraceContexts);
        return null;
    }
}
