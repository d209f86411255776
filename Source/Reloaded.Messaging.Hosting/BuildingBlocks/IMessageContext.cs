using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>The kind of a received message, and the methods to reply to it. For authors of hosts: see <see cref="HandlerTable{TFrom, TContext}"/>.</summary>
/// <remarks>Implement it by a small, read-only struct, so that the calls are direct. The members are called on the thread that runs the message's handler.</remarks>
public interface IMessageContext
{
    /// <summary>The kind of the message: an event or a request.</summary>
    MessageKind Kind { get; }

    /// <summary>Whether the host has requested handlers of this origin to stop. An <see cref="OperationCanceledException"/> of a handler is not a failure then.</summary>
    bool IsStopping { get; }

    /// <summary>Returns the name of a message type for the text of a fault; <see langword="null"/> if it is not known.</summary>
    /// <param name="type">The type.</param>
    string? NameOf(uint type);

    /// <summary>Sends a reply, or a fault if the reply cannot be sent (<see cref="HandlerInvoker.FailReply"/>). Does not throw.</summary>
    /// <param name="contract">The contract of the reply.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="requestType">The type of the request, which a fault contains.</param>
    void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType);

    /// <summary>Sends a fault to the requester. Does not throw.</summary>
    /// <param name="type">The type of the request.</param>
    /// <param name="code">The code of the fault.</param>
    /// <param name="text">The text of the fault. The requester can read it.</param>
    void SendFault(uint type, int code, string text);

    /// <summary>Counts an exception and raises the host's event. Does not throw.</summary>
    /// <param name="type">The type of the message whose handler or serializer threw.</param>
    /// <param name="exception">The exception.</param>
    void ReportFailure(uint type, Exception exception);

    /// <summary>Begins a request whose handler is asynchronous.</summary>
    /// <returns>The source of the handler's token, which the host cancels when the requester cancels the request or disconnects; <see langword="null"/> if the requester cannot cancel requests.</returns>
    CancellationTokenSource? BeginRequest();

    /// <summary>Ends a request that <see cref="BeginRequest"/> began.</summary>
    /// <param name="request">The source that <see cref="BeginRequest"/> returned.</param>
    void EndRequest(CancellationTokenSource request);
}

/// <summary>A context that remembers why its message cannot be read.</summary>
internal interface IUnreadableNote
{
    void NoteUnreadable(DispatchStatus status);
}

/// <summary>The origin of a received message. For authors of hosts.</summary>
/// <typeparam name="TFrom">The origin of a message, which is passed to handlers.</typeparam>
public interface IMessageContext<TFrom> : IMessageContext
{
    /// <summary>The origin.</summary>
    TFrom From { get; }
}
