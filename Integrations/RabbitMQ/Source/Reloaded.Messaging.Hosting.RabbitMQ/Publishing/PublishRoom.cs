using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The room of a queue of messages to publish, in bytes. Used under the lock of the queue.</summary>
/// <remarks>Messages that wait or are unconfirmed share one limit. Messages that a full queue of the broker refused, or that wait for an earlier channel, have the same limit in addition.</remarks>
/// <param name="maxBytes">The limit. An empty queue accepts any message.</param>
internal sealed class PublishRoom(int maxBytes)
{
    private readonly RoomGate _gate = new(maxBytes);
    private readonly RoomGate _refusedGate = new(maxBytes);
    private long _refused;

    /// <summary>The size of the messages that wait or are unconfirmed.</summary>
    public long Used { get; private set; }

    /// <summary>The number of refused messages.</summary>
    public int RefusedCount { get; private set; }

    /// <summary>The bytes that count against the limit: messages that wait or are unconfirmed, and refused messages beyond their own limit.</summary>
    private long Filled => Used == 0 ? 0 : Math.Max(Used, Used + _refused - maxBytes);

    /// <summary>Returns whether the queue accepts a message.</summary>
    /// <param name="size">The size of the message.</param>
    /// <param name="isReply">Whether the message is a reply, which may use twice the room.</param>
    /// <param name="isAfterRefused">Whether refused messages of the same topic wait.</param>
    public bool Accepts(int size, bool isReply, bool isAfterRefused)
    {
        var most = isReply ? 2L * maxBytes : maxBytes;
        if (Used > 0 && (Used + size > most || Used + _refused + size > 2L * maxBytes))
            return false;
        return !isAfterRefused || _refused == 0 || _refused + size <= maxBytes;
    }

    /// <summary>Completes when there is room for a message. Another caller may use the room first.</summary>
    /// <param name="size">The size of the message.</param>
    /// <param name="isBlocked">Whether the broker accepts no messages.</param>
    /// <param name="isAfterRefused">Whether refused messages of the same topic wait.</param>
    public Task WaitAsync(int size, bool isBlocked, bool isAfterRefused)
    {
        if (isAfterRefused && !_refusedGate.HasRoom(_refused, size))
            return _refusedGate.WaitAsync(size);
        return !isBlocked && _gate.HasRoom(Filled, size) ? Task.CompletedTask : _gate.WaitAsync(size);
    }

    /// <summary>Adds a message that waits.</summary>
    public void Add(int size) => Used += size;

    /// <summary>Removes a message that waits or is unconfirmed. <see cref="WakeIfRoom"/> follows after the last one.</summary>
    public void Remove(int size) => Used -= size;

    /// <summary>Moves a message to the refused messages.</summary>
    public void Refuse(int size)
    {
        Used -= size;
        _refused += size;
        RefusedCount++;
    }

    /// <summary>Removes a refused message.</summary>
    public void RemoveRefused(int size)
    {
        _refused -= size;
        RefusedCount--;
        _refusedGate.WakeIfRoom(_refused);
    }

    /// <summary>Wakes the callers for whom there is room.</summary>
    public void WakeIfRoom() => _gate.WakeIfRoom(Filled);

    /// <summary>Wakes the callers that wait because of the refused messages of their topic.</summary>
    public void WakeAfterRefused() => _refusedGate.Wake();

    /// <summary>Wakes all callers.</summary>
    public void Wake()
    {
        _gate.Wake();
        _refusedGate.Wake();
    }

    /// <summary>Lets callers wait for room. Used under the lock of the queue.</summary>
    /// <param name="maxBytes">The limit of the queue, in bytes.</param>
    private sealed class RoomGate(int maxBytes)
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
}
