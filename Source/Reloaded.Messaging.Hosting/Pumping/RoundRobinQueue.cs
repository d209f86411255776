using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The messages that wait for a pump: a queue for each peer, taken from in turn. Thread-safe.</summary>
/// <remarks>
/// Taking turns keeps a peer that floods from delaying the others: a message waits for at most one message of each other peer, and for those that its
/// own peer sent before it. The capacity is shared. A peer may have <see cref="ShareOfFree"/> times as many messages as there is room for, so that one
/// peer cannot fill the queue; and a peer without a message always gets one in. Thus the queue may exceed its capacity by a message for each peer:
/// the message that the peer's receive loop would hold otherwise. The messages of a peer that is gone stay, and count as a peer's. Many peers that send
/// one large message each and disconnect therefore add up: such messages may exceed the bytes by as much again, and no more. Entries are linked in one array, which grows to what was needed, and never shrinks.
/// </remarks>
/// <param name="capacity">The messages that may wait.</param>
/// <param name="maxBytes">The bytes of messages that may wait. With the messages of peers that had none, at most twice as many wait, or one message more than these bytes.</param>
/// <param name="maxPeers">The peers that may have a message past both.</param>
/// <typeparam name="TContext">The origin of a message.</typeparam>
internal sealed class RoundRobinQueue<TContext>(int capacity, int maxBytes, int maxPeers)
    where TContext : struct
{
    /// <summary>One peer that floods leaves a ninth of the capacity to the others; two leave a seventeenth.</summary>
    private const int ShareOfFree = 8;

    private const int InitialEntries = 16;
    private const int None = -1;

    private readonly object _gate = new();
    private Entry[] _entries = [];
    private int _used;
    private int _free = None;
    private PeerQueue? _last; // its next is the one to take from
    private AsyncGate _firstRoom; // what peers without a message wait for
    private int _peers;
    private int _count;
    private long _bytes;
    private bool _isClosed;

    /// <summary>The messages that wait.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _count;
        }
    }

    /// <summary>Adds a message behind those of its peer. One thread at a time for each peer.</summary>
    /// <param name="queue">The peer's queue.</param>
    /// <param name="message">The message. The queue owns it once it is added; a queue that is closed releases it.</param>
    /// <param name="context">The message's origin.</param>
    /// <returns>Returns <see langword="null"/> if the message was taken; otherwise, a task that completes when to try again.</returns>
    public Task? Add(PeerQueue queue, PackedMessage message, TContext context)
    {
        lock (_gate)
        {
            if (!_isClosed)
            {
                if (!HasRoom(queue, message.Length))
                {
                    if (queue.Count == 0)
                        return _firstRoom.WaitAsync();
                    queue.WakeAt = queue.Count / 2; // not at each message: waking costs more than handling
                    return queue.Room.WaitAsync();
                }

                Append(queue, new Entry(message, context));
                return null;
            }
        }

        message.Dispose();
        return null;
    }

    /// <summary>Takes the oldest message of the peer whose turn it is.</summary>
    /// <returns><see langword="false"/> if no message waits.</returns>
    public bool TryTake(out PackedMessage message, out TContext context)
    {
        lock (_gate)
        {
            if (_last is null)
            {
                (message, context) = (default, default);
                return false;
            }

            var queue = _last.Next!;
            var wasOver = _bytes > maxBytes;
            (message, context) = RemoveFirst(queue);
            if (queue.Count > 0)
                _last = queue;
            else
                Unlink(queue);
            if (queue.Count == 0 || (wasOver && _bytes <= maxBytes))
                _firstRoom.Open();
            if (queue.Count <= queue.WakeAt)
                queue.Room.Open();
            return true;
        }
    }

    /// <summary>Releases the messages that wait and those that are added later, and completes every wait for room.</summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
        while (TryTake(out var message, out _))
            message.Dispose();
    }

    private bool HasRoom(PeerQueue queue, int size)
    {
        if (queue.Count == 0 && _peers < maxPeers && (_bytes <= maxBytes || _bytes + size <= 2L * maxBytes))
            return true;
        var (free, freeBytes) = (capacity - _count, maxBytes - _bytes);
        return free > 0 && queue.Count < (long)ShareOfFree * free && size <= freeBytes && queue.Bytes + size <= ShareOfFree * freeBytes;
    }

    private void Append(PeerQueue queue, Entry entry)
    {
        var index = _free;
        if (index != None)
        {
            _free = _entries[index].Next;
        }
        else
        {
            if (_used == _entries.Length)
                Array.Resize(ref _entries, Math.Max(InitialEntries, 2 * _used));
            index = _used++;
        }

        _entries[index] = entry;
        if (queue.Count == 0)
            Link(queue, index);
        else
            _entries[queue.Last].Next = index;
        queue.Last = index;
        queue.Count++;
        queue.Bytes += entry.Message.Length;
        _count++;
        _bytes += entry.Message.Length;
    }

    private (PackedMessage Message, TContext Context) RemoveFirst(PeerQueue queue)
    {
        var index = queue.First;
        ref var place = ref _entries[index];
        var entry = place;
        queue.First = entry.Next;
        place = new Entry { Next = _free }; // which keeps no peer alive
        _free = index;
        var size = entry.Message.Length;
        queue.Count--;
        queue.Bytes -= size;
        _count--;
        _bytes -= size;
        return (entry.Message, entry.Context);
    }

    /// <summary>Gives a peer the last turn.</summary>
    private void Link(PeerQueue queue, int first)
    {
        queue.First = first;
        if (_last is null)
        {
            queue.Next = queue;
        }
        else
        {
            queue.Next = _last.Next;
            _last.Next = queue;
        }

        _last = queue;
        _peers++;
    }

    /// <summary>Takes out the queue whose turn it is.</summary>
    private void Unlink(PeerQueue queue)
    {
        _peers--;
        if (_last == queue)
            _last = null;
        else
            _last!.Next = queue.Next;
        queue.Next = null;
    }

    private struct Entry(PackedMessage message, TContext context)
    {
        public readonly PackedMessage Message => message;

        public readonly TContext Context => context;

        public int Next { get; set; }
    }
}
