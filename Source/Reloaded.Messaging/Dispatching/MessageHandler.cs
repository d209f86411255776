namespace Reloaded.Messaging;

/// <summary>Handles messages of one type.</summary>
/// <typeparam name="TMessage">The message type.</typeparam>
/// <typeparam name="TState">The type of the dispatcher's state, such as the sender of the message.</typeparam>
/// <param name="message">The message, valid during the call. A blittable struct may be read from the received bytes.</param>
/// <param name="state">The state that was passed to <see cref="MessageDispatcher{T}.Dispatch"/>, by reference.</param>
/// <remarks>Called on the dispatching thread. Exceptions are thrown to the caller of Dispatch.</remarks>
public delegate void MessageHandler<TMessage, TState>(in TMessage message, ref TState state);
