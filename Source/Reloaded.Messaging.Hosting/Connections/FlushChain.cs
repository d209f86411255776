using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Outboxes that received the same message and have to be flushed. One item of the thread pool flushes several of them, because an item for each costs more than the append.</summary>
/// <remarks>Call <see cref="Start"/> after the last append, also after an exception: no other code flushes an outbox of the chain.</remarks>
internal struct FlushChain
{
    /// <summary>The maximum number of outboxes per item. Several items share the work between the threads of the pool, and limit the delay by a slow channel.</summary>
    private const int MaxLength = 16;

    private Outbox? _first;
    private int _length;

    /// <summary>Adds an outbox whose flush was left to the caller.</summary>
    public void Add(Outbox outbox)
    {
        outbox.NextToFlush = _first;
        _first = outbox;
        if (++_length == MaxLength)
            Start();
    }

    /// <summary>Flushes the outboxes on the thread pool.</summary>
    public void Start()
    {
        if (_first is { } first)
            ThreadPool.UnsafeQueueUserWorkItem(first, preferLocal: false);
        _first = null;
        _length = 0;
    }
}
