using System;
using System.Globalization;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Starts the spans of sent events.</summary>
internal static class SendTrace
{
    /// <summary>Starts the span of an event to many peers.</summary>
    /// <returns>The operation; <c>null</c> without a listener.</returns>
    public static MessageOperation? TryStart(MessageHost host, MessageContract contract) =>
        MessageOperation.IsTraced ? Start(host, contract, contract.Type, null, host.Events.ObserverFailed) : null;

    /// <summary>Starts the span of an event to one peer.</summary>
    public static MessageOperation Start(Peer peer, MessageContract? contract, uint type) => Start(peer.Host, contract, type, peer.RemoteName, peer.ObserverFailed);

    private static MessageOperation Start(MessageHost host, MessageContract? contract, uint type, string? remoteName, Action<Exception> failed) =>
        MessageOperation.Start(OperationKind.Send, contract?.MessageType.Name ?? type.ToString(CultureInfo.InvariantCulture), host.EndpointTag, remoteName, failed);

    /// <summary>Returns the type of a message.</summary>
    public static uint TypeOf(MessageContract? contract, PackedMessage packed)
    {
        if (contract is not null)
            return contract.Type;
        MessageHeader.TryRead(packed.Span, out var header, out _);
        return header.Type;
    }
}

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

/// <summary>The trace of one received message: the context that arrived with it, and the span of its handler.</summary>
/// <param name="parent">The context that arrived with the message; <c>null</c> for none.</param>
internal sealed class HandlingTrace(TraceContext? parent)
{
    private MessageOperation? _operation;
    private string? _error;
    private string? _fault;
    private string? _description;

    /// <summary>Whether the handler still runs after <see cref="MessageHandling.Run"/> has returned, so that its task ends the trace.</summary>
    public bool IsDeferred { get; private set; }

    /// <summary>Notes that the task of the handler ends the trace.</summary>
    public void Defer() => IsDeferred = true;

    /// <summary>Starts the span, and makes it current on this thread until <see cref="Leave"/>.</summary>
    public void Enter(MessageHost host, in MessageContext context)
    {
        host.Dispatcher.HasHandler(context.Type, out var contract);
        _operation = MessageOperation.Start(
            context.Kind == MessageKind.Request ? OperationKind.Reply : OperationKind.Process,
            contract?.MessageType.Name ?? OperationTags.Other, // an id of the remote side is not a name: there may be any number of them
            host.EndpointTag,
            context.Peer.RemoteName,
            context.Peer.ObserverFailed,
            parent);
        _operation.Enter();
    }

    public void Leave() => _operation!.Leave();

    /// <summary>Notes an exception. The first note of a message is the error of its span.</summary>
    public void Note(Exception exception)
    {
        _error ??= exception.GetType().FullName;
        _description ??= exception.Message;
    }

    /// <summary>Notes a fault that is sent as the reply.</summary>
    public void Note(int code, string text)
    {
        _fault ??= code.ToString(CultureInfo.InvariantCulture);
        _description ??= text;
    }

    /// <summary>Ends the span. Called once.</summary>
    /// <param name="outcome">The outcome of the call.</param>
    public void End(HandlerOutcome outcome)
    {
        _error ??= outcome is HandlerOutcome.NoHandler or HandlerOutcome.Malformed or HandlerOutcome.Failed ? outcome.ToString() : _fault;
        _operation?.End(_error, _description);
    }
}
