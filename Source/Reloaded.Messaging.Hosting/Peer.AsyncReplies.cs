namespace Reloaded.Messaging.Hosting;

/// <content>Requests that are answered later, and may be taken back until then.</content>
public sealed partial class Peer
{
    private readonly InFlightRequests _answering;

    /// <summary>The other side no longer waits for the reply.</summary>
    internal void CancelAnswer(uint correlationId) => _answering.Cancel(correlationId);

    /// <summary>A request of its waits for the pump. It may be taken back before it is handled.</summary>
    internal void NoteEnqueued(uint correlationId) => _answering.Enqueue(correlationId);

    internal void NotePumped(uint correlationId) => _answering.NotePumped(correlationId);

    /// <summary>Begins a request whose handler is asynchronous.</summary>
    internal InFlightRequests.Answer BeginRequest(uint correlationId) => _answering.Begin(correlationId);

    /// <summary>Ends a request that was begun.</summary>
    internal void EndRequest(InFlightRequests.Answer answer) => _answering.End(answer);
}
