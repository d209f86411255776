namespace Reloaded.Messaging.Hosting;

/// <summary>Outboxes that received the same message and have to be flushed. They are handed to the thread pool as one item, because an item costs the sender more than many appends.</summary>
/// <remarks>Call <see cref="Start"/> after the last append, also after an exception: no other code flushes an outbox of the chain.</remarks>
internal struct FlushChain
{
    /// <summary>The maximum number of outboxes that are handed to the thread pool together, so that the first of them do not wait for the last append of a large broadcast.</summary>
    private const int MaxLength = 256;

    /// <summary>The maximum number of outboxes that one item flushes. Items of a chain share the work between the threads of the pool, and limit the delay by a slow channel.</summary>
    private const int MostPerItem = 16;

    private Outbox? _first;
    private int _length;

    public readonly bool IsEmpty => _first is null;

    /// <summary>Adds an outbox whose flush was left to the caller.</summary>
    public void Add(Outbox outbox)
    {
        outbox.NextToFlush = _first;
        _first = outbox;
        if (++_length == MaxLength)
            Start();
    }

    /// <summary>Cuts a chain after the outboxes of one item.</summary>
    /// <param name="first">The first outbox of the chain.</param>
    /// <returns>The first outbox of the rest, or <c>null</c> if the item flushes the whole chain.</returns>
    public static Outbox? Cut(Outbox first)
    {
        var last = first;
        for (var i = 1; i < MostPerItem && last.NextToFlush is { } next; i++)
            last = next;
        var rest = last.NextToFlush;
        last.NextToFlush = null;
        return rest;
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
