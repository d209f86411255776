using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Lets callers wait for room. Under the queue's gate.</summary>
/// <param name="maxBytes">The bound of what the room is in.</param>
internal sealed class RoomGate(int maxBytes)
{
    /// <summary>So much has to come free before callers are woken: a wake for each message would cost more than the message.</summary>
    private readonly int _wakeBelow = maxBytes - Math.Min(maxBytes / 2, 128 * 1024);

    private TaskCompletionSource? _room;

    /// <summary>The size of the smallest message that is waited with.</summary>
    private int _wanted;

    /// <summary>Completes when there is room for a message of a size, which other callers may take first.</summary>
    public Task WaitAsync(int size)
    {
        _wanted = _room is null ? size : Math.Min(_wanted, size);
        return (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    /// <summary>Whether enough is free for a message of a size, and worth a wake.</summary>
    public bool HasRoom(long bytes, int size) => bytes == 0 || bytes <= Math.Min(_wakeBelow, maxBytes - size);

    /// <summary>Wakes the callers if there is room for the smallest message.</summary>
    public void WakeIfRoom(long bytes)
    {
        if (_room is not null && HasRoom(bytes, _wanted))
            Wake();
    }

    /// <summary>Wakes the callers: they look again.</summary>
    public void Wake()
    {
        _room?.SetResult();
        _room = null;
    }
}
