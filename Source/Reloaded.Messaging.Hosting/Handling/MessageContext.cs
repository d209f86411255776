using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The sender of a received message, and the parts of its header that a handler needs.</summary>
internal readonly struct MessageContext(Peer peer, int knownAnnouncement, MessageKind kind, uint type, uint correlationId, HandlingTrace? trace = null) : IMessageContext<Peer>, IUnreadableNote
{
    /// <summary>The sender.</summary>
    public readonly Peer Peer = peer;

    /// <summary>The last announcement of contracts that the sender had certainly read before it sent the message.</summary>
    public readonly int KnownAnnouncement = knownAnnouncement;

    /// <summary>The kind of the message: an event or a request.</summary>
    public MessageKind Kind { get; } = kind;

    /// <summary>The type of the message.</summary>
    public readonly uint Type = type;

    /// <summary>The correlation id of a request, which its reply carries.</summary>
    public readonly uint CorrelationId = correlationId;

    /// <summary>The trace of the message; <c>null</c> if the message is not traced.</summary>
    public HandlingTrace? Trace { get; init; } = trace;

    Peer IMessageContext<Peer>.From => Peer;

    void IUnreadableNote.NoteUnreadable(DispatchStatus status) => Peer.Connection.NoteUnreadable(Type, status);

    bool IMessageContext.IsStopping => !Peer.IsConnected;

    /// <inheritdoc cref="IMessageContext.NameOf"/>
    public string? NameOf(uint type) => Peer.Host.Contracts.Find(type)?.MessageType.Name;

    /// <inheritdoc cref="IMessageContext.Reply"/>
    public void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType)
    {
        if (Peer.Replies.TryReply(contract, in reply, CorrelationId) is not { } failure)
            return;
        if (reply is null)
            failure = new InvalidOperationException($"The handler of {NameOf(requestType)} returned null. Return a reply, or throw a {nameof(RequestFaultException)}.", failure);
        var context = this;
        HandlerInvoker.FailReply(contract, requestType, ref context, failure);
    }

    /// <inheritdoc cref="IMessageContext.SendFault"/>
    public void SendFault(uint type, int code, string text)
    {
        Trace?.Note(code, text);
        Peer.Replies.SendFault(type, CorrelationId, code, text);
    }

    void IMessageContext.ReportFailure(uint type, Exception exception)
    {
        Trace?.Note(exception);
        Peer.Host.Events.ReportFailure(Peer, type, exception);
    }

    CancellationTokenSource IMessageContext.BeginRequest() => Peer.Answering.Begin(CorrelationId);

    void IMessageContext.EndRequest(CancellationTokenSource request) => Peer.Answering.End((InFlightRequests.Answer)request);
}

/// <summary>Calls the handler of a received message, and counts the running handlers of a peer.</summary>
internal static class MessageHandling
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HandlerOutcome Run(MessageHost host, ReadOnlySpan<byte> message, MessageContext context) =>
        MessageOperation.IsObserved ? RunObserved(host, message, context) : Call(host, message, context);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static HandlerOutcome Call(MessageHost host, ReadOnlySpan<byte> message, MessageContext context)
    {
        // The first asynchronous handler may be registered between the two checks.
        var handlers = host.Handlers;
        if (!handlers.MayBeAsync(context.Type) && HandlerInvoker.TryInvoke(handlers.Dispatcher, message, context.Type, ref context, out var outcome))
            return outcome;
        return Start(host, message, context);
    }

    /// <summary>Calls the handler with a span and a measured duration.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static HandlerOutcome RunObserved(MessageHost host, ReadOnlySpan<byte> message, MessageContext context)
    {
        var trace = context.Trace ?? new HandlingTrace(null);
        trace.Enter(host, in context);
        try
        {
            var outcome = Call(host, message, context with { Trace = trace });
            if (!trace.IsDeferred)
                trace.End(outcome);
            return outcome;
        }
        finally
        {
            trace.Leave();
        }
    }

    private static HandlerOutcome Start(MessageHost host, ReadOnlySpan<byte> message, MessageContext context)
    {
        var outcome = HandlerInvoker.Start(host.Dispatcher, message, context.Type, ref context, context.Peer.Connection.Ended, out var running);
        if (running is not { } call)
            return outcome;
        context.Trace?.Defer();
        var count = Interlocked.Increment(ref context.Peer.RunningHandlers);
        _ = ObserveAsync(call, context);
        return count >= host.Options.Limits.MaxRunningHandlers ? HandlerOutcome.TooManyRunning : HandlerOutcome.Done;
    }

    private static async Task ObserveAsync(ValueTask<DispatchStatus> call, MessageContext context)
    {
        try
        {
            await call.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            HandlerInvoker.Fail(context.Type, ref context, e);
        }
        finally
        {
            context.Peer.NoteHandlerEnded();
            context.Trace?.End(HandlerOutcome.Done);
        }
    }
}
