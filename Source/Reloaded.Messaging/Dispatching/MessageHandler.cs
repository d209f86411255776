namespace Reloaded.Messaging;

/// <summary>Handles messages of one type.</summary>
/// <typeparam name="TMessage">The message.</typeparam>
/// <typeparam name="TState">The dispatcher's state: who sent it, what it acts on.</typeparam>
/// <param name="message">The message. A blittable struct may be read where it was received: it is valid during the call.</param>
/// <param name="state">What the caller of <see cref="MessageDispatcher{T}.Dispatch"/> passed, by reference.</param>
/// <remarks>Called on the dispatching thread. What it throws, the caller of Dispatch gets.</remarks>
public delegate void MessageHandler<TMessage, TState>(in TMessage message, ref TState state);
