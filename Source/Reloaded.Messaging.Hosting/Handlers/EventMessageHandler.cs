namespace Reloaded.Messaging.Hosting;

/// <summary>Handles an event. Runs on the thread that receives the message or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
/// <typeparam name="T">The message.</typeparam>
/// <typeparam name="TFrom">The origin of a message: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate void EventMessageHandler<T, TFrom>(in T message, TFrom from);
