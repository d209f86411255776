using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Reports an exception that was thrown while a message was decoded. For hosts of this library: see <see cref="MessageDispatcher{T}.DecodeFailed"/>. It must not throw.</summary>
/// <param name="type">The id of the type of the message.</param>
/// <param name="exception">The exception.</param>
/// <param name="state">The state of the handler.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate void DecodeFailureReporter<T>(uint type, System.Exception exception, in T state);

/// <summary>Returns whether a handler may read a message. For hosts of this library: see <see cref="MessageDispatcher{T}.ConditionOf"/>.</summary>
/// <param name="state">The state that is passed to the handler.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate bool HandlerCondition<T>(in T state);
