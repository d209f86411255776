namespace Reloaded.Messaging;

/// <summary>An object that handles messages of one type.</summary>
/// <typeparam name="TMessage">The message type.</typeparam>
/// <typeparam name="TState">The type of the dispatcher's state.</typeparam>
public interface IMessageHandler<TMessage, TState>
{
    /// <inheritdoc cref="MessageHandler{TMessage, TState}"/>
    void Handle(in TMessage message, ref TState state);
}
