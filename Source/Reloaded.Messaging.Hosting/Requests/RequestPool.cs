using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Ended requests of one type, for the next ones. Bounded, and let go with the spare buffers; any thread, since a request seldom ends where it began.</summary>
internal sealed class RequestPool<TReply> : ITrimmable
{
    private const int Most = 64 * 1024; // as many as some thousand peers have unanswered

    public RequestPool() => MessagePool.Register(this);

    private readonly object _gate = new();
    private PendingRequest<TReply>?[] _items = [];
    private int _count;

    public PendingRequest<TReply>? TryTake()
    {
        lock (_gate)
        {
            if (_count == 0)
                return null;
            var item = _items[--_count];
            _items[_count] = null;
            return item;
        }
    }

    public void Add(PendingRequest<TReply> item)
    {
        lock (_gate)
        {
            if (_count == Most)
                return;
            if (_count == _items.Length)
                Array.Resize(ref _items, Math.Max(16, _count * 2));
            _items[_count++] = item;
        }
    }

    public void Trim()
    {
        lock (_gate)
        {
            _items = [];
            _count = 0;
        }
    }
}
