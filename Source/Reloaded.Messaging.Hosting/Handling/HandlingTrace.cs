using System.Globalization;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

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
