namespace Reloaded.Messaging;

/// <summary>Counts the running calls of one handler, and signals when the last call has ended.</summary>
internal sealed class RunningCalls
{
    private readonly TaskCompletionSource<bool> _empty = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _count;
    private int _closed;

    /// <summary>Counts the start of a call, unless the handler is closed.</summary>
    public bool TryEnter()
    {
        Interlocked.Increment(ref _count);
        if (Volatile.Read(ref _closed) == 0)
            return true;

        Exit();
        return false;
    }

    /// <summary>Counts the end of a call.</summary>
    public void Exit()
    {
        if (Interlocked.Decrement(ref _count) == 0 && Volatile.Read(ref _closed) != 0)
            _empty.TrySetResult(true);
    }

    /// <summary>Refuses further calls. The task completes when no call is running.</summary>
    public ValueTask CloseAsync()
    {
        Interlocked.Exchange(ref _closed, 1);
        if (Volatile.Read(ref _count) == 0)
            return default;
        return new ValueTask(_empty.Task);
    }
}
