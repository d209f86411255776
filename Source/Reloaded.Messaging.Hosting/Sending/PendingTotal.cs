namespace Reloaded.Messaging.Hosting;

/// <summary>The total memory of the large buffers of all outboxes of a host. Thread-safe.</summary>
internal sealed class PendingTotal(long limit)
{
    private readonly object _gate = new();
    private long _taken;
    private AsyncGate _freed;

    /// <summary>The number of bytes in use.</summary>
    public long Taken => Volatile.Read(ref _taken);

    /// <summary>Whether at most half of the limit is in use.</summary>
    public bool IsAmple => Taken <= limit / 2;

    /// <summary>Adds bytes if the limit allows it. If no bytes are in use, any number is accepted.</summary>
    public bool TryTake(int bytes)
    {
        lock (_gate)
        {
            if (!HasRoom(bytes))
                return false;
            _taken += bytes;
            return true;
        }
    }

    /// <summary>Adds bytes regardless of the limit.</summary>
    public void Take(int bytes)
    {
        lock (_gate)
            _taken += bytes;
    }

    public void Free(int bytes)
    {
        lock (_gate)
        {
            _taken -= bytes;
            _freed.Open();
        }
    }

    /// <summary>Completes at once if <see cref="TryTake"/> would accept the bytes now; otherwise, completes when bytes are freed.</summary>
    public Task WaitForRoomAsync(int bytes)
    {
        lock (_gate)
        {
            if (HasRoom(bytes))
                return Task.CompletedTask;
            return _freed.WaitAsync();
        }
    }

    private bool HasRoom(int bytes) => _taken == 0 || _taken + bytes <= limit;
}
