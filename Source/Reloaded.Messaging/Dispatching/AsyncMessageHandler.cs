using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Handles messages of one type and may complete asynchronously.</summary>
/// <typeparam name="TMessage">The message type.</typeparam>
/// <typeparam name="TState">The type of the dispatcher's state.</typeparam>
/// <param name="message">The message. The handler owns it, also after an await.</param>
/// <param name="state">The state that was passed to <see cref="MessageDispatcher{T}.DispatchAsync"/>, by value.</param>
/// <param name="cancellationToken">The token that was passed to it.</param>
/// <remarks>Starts on the dispatching thread and runs there until its first incomplete await. Its exceptions are thrown to the awaiter of DispatchAsync.</remarks>
public delegate ValueTask AsyncMessageHandler<TMessage, TState>(TMessage message, TState state, CancellationToken cancellationToken);
