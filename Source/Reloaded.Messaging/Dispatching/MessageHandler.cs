using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Handles messages of one type.</summary>
/// <typeparam name="TMessage">The message type.</typeparam>
/// <typeparam name="TState">The type of the dispatcher's state, such as the sender of the message.</typeparam>
/// <param name="message">The message, valid during the call. A blittable struct may be read from the received bytes.</param>
/// <param name="state">The state that was passed to <see cref="MessageDispatcher{T}.Dispatch"/>, by reference.</param>
/// <remarks>Called on the dispatching thread. Exceptions are thrown to the caller of Dispatch.</remarks>
public delegate void MessageHandler<TMessage, TState>(in TMessage message, ref TState state);

/// <summary>Handles messages of one type and may complete asynchronously.</summary>
/// <typeparam name="TMessage">The message type.</typeparam>
/// <typeparam name="TState">The type of the dispatcher's state.</typeparam>
/// <param name="message">The message. The handler owns it, also after an await.</param>
/// <param name="state">The state that was passed to <see cref="MessageDispatcher{T}.DispatchAsync"/>, by value.</param>
/// <param name="cancellationToken">The token that was passed to it.</param>
/// <remarks>Starts on the dispatching thread and runs there until its first incomplete await. Its exceptions are thrown to the awaiter of DispatchAsync.</remarks>
public delegate ValueTask AsyncMessageHandler<TMessage, TState>(TMessage message, TState state, CancellationToken cancellationToken);

/// <summary>Handles messages as they were received, without decompressing or deserializing them.</summary>
/// <typeparam name="TState">The type of the dispatcher's state.</typeparam>
/// <param name="header">The header, which says whether the payload is compressed.</param>
/// <param name="payload">The payload, in the memory of the caller. Valid during the call.</param>
/// <param name="state">The state that was passed to <see cref="MessageDispatcher{T}.Dispatch"/>, by reference.</param>
public delegate void RawMessageHandler<TState>(in MessageHeader header, ReadOnlySpan<byte> payload, ref TState state);

/// <summary>An object that handles messages of one type.</summary>
/// <typeparam name="TMessage">The message type.</typeparam>
/// <typeparam name="TState">The type of the dispatcher's state.</typeparam>
public interface IMessageHandler<TMessage, TState>
{
    /// <inheritdoc cref="MessageHandler{TMessage, TState}"/>
    void Handle(in TMessage message, ref TState state);
}

/// <summary>The behavior of a registration when the type already has a handler.</summary>
public enum DuplicateHandlerBehavior
{
    /// <summary>Throws and changes nothing.</summary>
    Throw,

    /// <summary>Replaces the handler. Disposing the previous registration has no effect afterwards.</summary>
    Replace,
}
