using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The memory of all outboxes of a host, as far as it exceeds what each peer has for itself. Thread-safe.</summary>
internal sealed class PendingTotal(long limit)
{
    private readonly object _gate = new();
    private long _taken;
    private AsyncGate _freed;

    /// <summary>The bytes in use.</summary>
    public long Taken => Volatile.Read(ref _taken);

    /// <summary>Takes bytes if the limit allows it. The first taker gets any number.</summary>
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

    /// <summary>Takes bytes whatever the limit is.</summary>
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

    /// <summary>Completes at once if <see cref="TryTake"/> would take the bytes now; otherwise, when bytes are freed.</summary>
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
