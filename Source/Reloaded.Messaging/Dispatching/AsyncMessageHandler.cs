using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Handles messages of one type, and may finish later.</summary>
/// <typeparam name="TMessage">The message.</typeparam>
/// <typeparam name="TState">The dispatcher's state.</typeparam>
/// <param name="message">The message; the handler's own, also after an await.</param>
/// <param name="state">What the caller of <see cref="MessageDispatcher{T}.DispatchAsync"/> passed, by value.</param>
/// <param name="cancellationToken">What the caller passed.</param>
/// <remarks>Started on the dispatching thread, and runs there until its first await that waits. What it throws, the awaiter of DispatchAsync gets.</remarks>
public delegate ValueTask AsyncMessageHandler<TMessage, TState>(TMessage message, TState state, CancellationToken cancellationToken);
