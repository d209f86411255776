using System;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>A generated message, which contains the arguments of a service's event. For generated code.</summary>
/// <typeparam name="THandler">The delegate of the event.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IServiceEvent<in THandler>
    where THandler : Delegate
{
    /// <summary>Calls a handler with the arguments.</summary>
    /// <param name="handler">The handler.</param>
    void Raise(THandler handler);
}
