namespace Reloaded.Messaging.Hosting;

/// <summary>Lets any number of callers wait for one change, such as free space in a queue. Not thread-safe: the owner's lock protects it.</summary>
/// <remarks>Nothing is allocated while no caller waits. Continuations never run on the thread that opens the gate.</remarks>
internal struct AsyncGate
{
    private TaskCompletionSource? _opened;

    /// <summary>Whether a caller waits.</summary>
    public readonly bool HasWaiters => _opened is not null;

    /// <summary>Returns a task that completes at the next <see cref="Open"/>.</summary>
    public Task WaitAsync() => (_opened ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Completes the waits of all callers. Later callers wait for the next call.</summary>
    public void Open()
    {
        _opened?.SetResult();
        _opened = null;
    }
}
