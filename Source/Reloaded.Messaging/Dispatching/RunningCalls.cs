using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Counts the calls that are inside one handler, and tells when the last has left.</summary>
internal sealed class RunningCalls
{
    private readonly TaskCompletionSource<bool> _empty = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _count;
    private int _closed;

    /// <summary>Counts a call in, unless the handler is closed.</summary>
    public bool TryEnter()
    {
        Interlocked.Increment(ref _count);
        if (Volatile.Read(ref _closed) == 0)
            return true;

        Exit();
        return false;
    }

    /// <summary>Counts a call out.</summary>
    public void Exit()
    {
        if (Interlocked.Decrement(ref _count) == 0 && Volatile.Read(ref _closed) != 0)
            _empty.TrySetResult(true);
    }

    /// <summary>Lets no call in any more. Completes when none is left.</summary>
    public ValueTask CloseAsync()
    {
        Interlocked.Exchange(ref _closed, 1);
        if (Volatile.Read(ref _count) == 0)
            return default;
        return new ValueTask(_empty.Task);
    }
}
