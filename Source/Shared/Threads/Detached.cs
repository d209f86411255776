namespace Reloaded.Messaging;

/// <summary>Starts work that may outlast its caller, such as loops, timers and threads. The work does not see the async locals, the activity and the culture of the caller, and does not keep them alive.</summary>
/// <remarks>The continuation of a call belongs to its caller, so it keeps them: an awaited send, request or stream is not detached.</remarks>
internal static class Detached
{
    /// <summary>Runs work on the thread pool.</summary>
    public static Task Run(Action work)
    {
        using (Begin())
            return Task.Run(work);
    }

    /// <inheritdoc cref="Run(Action)"/>
    public static Task Run(Func<Task> work)
    {
        using (Begin())
            return Task.Run(work);
    }

    /// <inheritdoc cref="Run(Action)"/>
    public static Task<T> Run<T>(Func<Task<T>> work)
    {
        using (Begin())
            return Task.Run(work);
    }

    /// <summary>Calls a method on this thread. The method sees the async locals of the caller; the work that it starts does not.</summary>
    public static T Start<T>(Func<T> start)
    {
        using (Begin())
            return start();
    }

    /// <summary>Detaches the work that this thread starts until the result is disposed.</summary>
    public static Scope Begin() => new(ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow());

    /// <summary>Ends what <see cref="Begin"/> has begun, on the same thread.</summary>
    public readonly struct Scope(AsyncFlowControl? flow) : IDisposable
    {
        public void Dispose() => flow?.Undo();
    }
}
