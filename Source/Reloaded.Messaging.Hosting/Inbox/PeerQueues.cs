using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The messages that wait for a pump. Each peer has its own queue, and messages are taken from the peers in turn. Thread-safe.</summary>
/// <remarks>
/// Taking messages in turn prevents a peer that floods from delaying the other peers: a message waits for at most one message of each other peer, and for
/// the earlier messages of the same peer. All peers share the capacity. A peer may use <see cref="ShareOfFree"/> times as many messages as there are free
/// places, so one peer cannot fill the queue. A peer without a message can always add one. The queue may therefore exceed its capacity by one message for
/// each peer, which the receive loop of the peer would hold otherwise. Messages of a disconnected peer stay queued and count as messages of a peer. Many
/// peers that send one large message each and disconnect therefore add up: such messages may at most double the limit of bytes. Entries are linked in one
/// array, which grows as needed and never shrinks.
/// </remarks>
/// <param name="capacity">The maximum number of messages.</param>
/// <param name="maxBytes">The maximum number of bytes of the messages. With the first messages of peers, the queue holds at most twice as many bytes, or one message more than these bytes.</param>
/// <param name="maxPeers">The maximum number of peers that may add a message beyond the two limits.</param>
/// <typeparam name="TContext">The origin of a message.</typeparam>
internal sealed class PeerQueues<TContext>(int capacity, int maxBytes, int maxPeers)
    where TContext : struct
{
    /// <summary>One peer that floods leaves a ninth of the capacity free; two such peers leave a seventeenth.</summary>
    private const int ShareOfFree = 8;

    private const int InitialEntries = 16;
    private const int None = -1;

    private readonly object _gate = new();
    private Entry[] _entries = [];
    private int _used;
    private int _free = None;
    private PeerQueue? _last; // the queue after it is the next to take from
    private AsyncGate _firstRoom; // opens for peers without a message
    private int _peers;
    private int _count;
    private long _bytes;
    private bool _isClosed;

    /// <summary>The number of queued messages.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _count;
        }
    }

    /// <summary>Adds a message after the earlier messages of its peer. Call it from one thread at a time for each peer.</summary>
    /// <param name="queue">The peer's queue.</param>
    /// <param name="message">The message. The queue owns it once it is added.</param>
    /// <param name="context">The message's origin.</param>
    /// <returns>Returns <see langword="null"/> if the message was added; otherwise, a task that completes when the caller should try again.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the queue is closed. The caller releases the message.</exception>
    public Task? Add(PeerQueue queue, PackedMessage message, TContext context)
    {
        lock (_gate)
        {
            if (_isClosed)
                throw new OperationCanceledException("The host was disposed.");
            if (!HasRoom(queue, message.Length))
            {
                if (queue.Count == 0)
                    return _firstRoom.WaitAsync();
                queue.WakeAt = queue.Count / 2; // not for each message, because waking the receive loop costs more than handling a message
                return queue.Room.WaitAsync();
            }

            Append(queue, new Entry(message, context));
            return null;
        }
    }

    /// <summary>Takes the oldest message of the next peer.</summary>
    /// <returns><see langword="false"/> if the queue is empty; otherwise, <see langword="true"/>.</returns>
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

    /// <summary>Releases the queued messages, refuses later ones, and completes every wait for room.</summary>
    /// <returns>The origins of the released messages.</returns>
    public List<TContext> Close()
    {
        lock (_gate)
            _isClosed = true;
        var released = new List<TContext>();
        while (TryTake(out var message, out var context))
        {
            message.Dispose();
            released.Add(context);
        }

        return released;
    }

    private bool HasRoom(PeerQueue queue, int size)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (queue.Count == 0 && _peers < maxPeers && (_bytes <= maxBytes || _bytes + size <= 2L * maxBytes))
            return true;
        var (free, freeBytes) = (capacity - _count, maxBytes - _bytes);
        return free > 0 && queue.Count < (long)ShareOfFree * free && size <= freeBytes && queue.Bytes + size <= ShareOfFree * freeBytes;
    }

    private void Append(PeerQueue queue, Entry entry)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
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
        Debug.Assert(Monitor.IsEntered(_gate));
        var index = queue.First;
        ref var place = ref _entries[index];
        var entry = place;
        queue.First = entry.Next;
        place = new Entry { Next = _free }; // a free entry references no peer
        _free = index;
        var size = entry.Message.Length;
        queue.Count--;
        queue.Bytes -= size;
        _count--;
        _bytes -= size;
        return (entry.Message, entry.Context);
    }

    /// <summary>Adds a peer's queue at the end of the circular list.</summary>
    private void Link(PeerQueue queue, int first)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
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

    /// <summary>Removes the next queue from the circular list.</summary>
    private void Unlink(PeerQueue queue)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
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

        public int Next;
    }
}
