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
        (reply as IOpeningReply)?.Close(Peer);
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
