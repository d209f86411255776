using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Receiving;

/// <summary>The bytes that the messages for a pump may take: who finds no room waits. A message larger than all of it gets it alone. Thread-safe.</summary>
internal sealed class PumpRoom(int capacity)
{
    private readonly object _gate = new();
    private long _taken;
    private TaskCompletionSource? _freed;

    public bool TryTake(int size)
    {
        lock (_gate)
            return Takes(size);
    }

    public async ValueTask TakeAsync(int size, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task freed;
            lock (_gate)
            {
                if (Takes(size))
                    return;
                freed = (_freed ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            }

            await freed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public void Free(int size)
    {
        TaskCompletionSource? freed;
        lock (_gate)
        {
            _taken -= size;
            if (_taken > capacity / 2)
                return; // so that not each message wakes everyone
            (freed, _freed) = (_freed, null);
        }

        freed?.SetResult();
    }

    private bool Takes(int size)
    {
        if (_taken > 0 && _taken + size > capacity)
            return false;
        _taken += size;
        return true;
    }
}
