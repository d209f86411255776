using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Lets callers wait for room. Used under the lock of the queue.</summary>
/// <param name="maxBytes">The limit of the queue, in bytes.</param>
internal sealed class RoomGate(int maxBytes)
{
    /// <summary>The number of bytes that must become free before callers are woken. Waking for each message would cost more than the message.</summary>
    private readonly int _wakeBelow = maxBytes - Math.Min(maxBytes / 2, 128 * 1024);

    private AsyncGate _room;

    /// <summary>The size of the smallest message for which a caller waits.</summary>
    private int _wanted;

    /// <summary>Completes when there is room for a message of a size. Another caller may use the room first.</summary>
    public Task WaitAsync(int size)
    {
        _wanted = _room.HasWaiters ? Math.Min(_wanted, size) : size;
        return _room.WaitAsync();
    }

    /// <summary>Returns whether there is room for a message of a size, and enough to wake the callers.</summary>
    public bool HasRoom(long bytes, int size) => bytes == 0 || bytes <= Math.Min(_wakeBelow, maxBytes - size);

    /// <summary>Wakes the callers if there is room for the smallest message.</summary>
    public void WakeIfRoom(long bytes)
    {
        if (_room.HasWaiters && HasRoom(bytes, _wanted))
            Wake();
    }

    /// <summary>Wakes the callers, which check the room again.</summary>
    public void Wake() => _room.Open();
}
