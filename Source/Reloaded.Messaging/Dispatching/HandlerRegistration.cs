using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A handler's place in a dispatcher. Dispose it to remove the handler; lose it, and the handler stays.</summary>
/// <remarks>Thread-safe. Once disposed it refers to nothing, so it keeps neither the handler nor its assembly alive.</remarks>
public sealed class HandlerRegistration : IDisposable, IAsyncDisposable
{
    private readonly RunningCalls? _running;
    private Action? _remove;

    /// <summary>Creates a registration for handlers that are kept outside of a dispatcher, as hosts of other kinds do.</summary>
    /// <param name="remove">Removes the handler. Called when the registration is disposed; more than once if several threads dispose it at the same time.</param>
    /// <remarks>Running calls are not tracked: <see cref="DisposeAsync"/> throws as for a dispatcher without <see cref="DispatcherOptions.TrackRunningHandlers"/>.</remarks>
    public HandlerRegistration(Action remove)
        : this(remove, running: null)
    {
        ArgumentNullException.ThrowIfNull(remove);
    }

    internal HandlerRegistration(Action remove, RunningCalls? running)
    {
        _remove = remove;
        _running = running;
    }

    /// <summary>Removes the handler: no dispatch that starts after this returns calls it. One that runs on another thread goes on.</summary>
    public void Dispose()
    {
        // Cleared after, not before: a second call, too, may return only when the handler is gone. Removing twice is harmless.
        Volatile.Read(ref _remove)?.Invoke();
        Volatile.Write(ref _remove, null);
    }

    /// <summary>Removes the handler and waits until every call of it has returned, asynchronous ones to their end.</summary>
    /// <remarks>Don't await it inside the handler: it would wait for itself.</remarks>
    /// <exception cref="InvalidOperationException">
    /// The dispatcher was made without <see cref="DispatcherOptions.TrackRunningHandlers"/>; the handler is removed nevertheless.
    /// </exception>
    public ValueTask DisposeAsync()
    {
        Dispose();
        if (_running is null)
            Throw.NotTracked();
        return _running.CloseAsync();
    }
}
