namespace Reloaded.Messaging;

/// <summary>The registration of a handler. Dispose to unregister. If the registration is not kept, the handler stays registered for the dispatcher's lifetime.</summary>
/// <remarks>Thread-safe. A disposed registration has no references, so that it keeps neither the handler nor its assembly alive.</remarks>
public sealed class HandlerRegistration : IDisposable, IAsyncDisposable
{
    private readonly RunningCalls? _running;
    private Action? _remove;

    /// <summary>Creates a registration for handlers that are kept outside of a dispatcher, as hosts of other kinds do.</summary>
    /// <param name="remove">Removes the handler. Called when the registration is disposed; more than once if several threads dispose it at the same time.</param>
    /// <remarks>Running calls are not tracked: <see cref="DisposeAsync"/> throws as for a dispatcher without <c>trackRunningHandlers</c>.</remarks>
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

    /// <summary>Removes the handler. A dispatch that starts after this call does not call it. A call that is running on another thread continues.</summary>
    public void Dispose()
    {
        // Cleared after the removal: a second call must also return only when the handler is removed. Removing twice is harmless.
        Volatile.Read(ref _remove)?.Invoke();
        Volatile.Write(ref _remove, null);
    }

    /// <summary>Removes the handler and waits until all of its calls have ended, including asynchronous ones.</summary>
    /// <remarks>Do not await it inside the handler: the handler would wait for itself.</remarks>
    /// <exception cref="InvalidOperationException">
    /// Thrown when the dispatcher was created without <c>trackRunningHandlers</c>. The handler is removed nevertheless.
    /// </exception>
    public ValueTask DisposeAsync()
    {
        Dispose();
        if (_running is null)
            Throw.NotTracked();
        return _running.CloseAsync();
    }
}
