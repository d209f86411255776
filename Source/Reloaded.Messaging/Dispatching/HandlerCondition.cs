using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Returns whether a handler may read a message. For hosts of this library: see <see cref="MessageDispatcher{T}.ConditionOf"/>.</summary>
/// <param name="state">The state that is passed to the handler.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate bool HandlerCondition<T>(in T state);
