using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <content>Who waits for room.</content>
internal sealed partial class PublishQueue
{
    /// <summary>So much has to come free before those who wait for room are woken: a wake for each message would cost more than the message.</summary>
    private readonly int _wakeBelow = maxBytes - Math.Min(maxBytes / 2, 128 * 1024);

    private TaskCompletionSource? _room;

    /// <summary>What the smallest message that is waited with counts here.</summary>
    private int _wanted;

    /// <summary>Completes when there is room for a message of that length, which others may take first.</summary>
    public Task WaitForRoomAsync(int length)
    {
        lock (_gate)
        {
            var size = length + Overhead;
            if (_isSealed || HasRoom(size))
                return Task.CompletedTask;
            _wanted = _room is null ? size : Math.Min(_wanted, size);
            return (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Whether enough is free that a message of that size is taken, and that it is worth a wake.</summary>
    private bool HasRoom(int size) =>
        !_isBlocked && (_bytes == 0 || (_bytes <= Math.Min(_wakeBelow, maxBytes - size) && _tail - _head <= _wakeBelow / Overhead));

    private void WakeWaiting()
    {
        _room?.SetResult();
        _room = null;
    }
}
