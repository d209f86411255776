using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Completes the ended requests of one connection on the thread pool, in the order in which they ended. The continuations of the requests run there.</summary>
/// <remarks>
/// One item of the thread pool completes many requests, because an item for each request costs more than the rest of its reply. A continuation may block its
/// thread. Therefore, another item is queued before a continuation runs while further requests wait, and another thread can complete them.
/// </remarks>
internal sealed class RequestCompletions : IThreadPoolWorkItem
{
    /// <summary>The maximum number of requests that one item completes, so that other work of the thread pool gets its turn.</summary>
    private const int MostPerItem = 256;

    private readonly ShortLock _gate = new();
    private PendingRequest? _first;
    private PendingRequest? _last;
    private bool _isQueued; // true while a request waits

    /// <summary>Completes the requests of a chain on the thread pool.</summary>
    /// <param name="first">The first request.</param>
    /// <param name="last">The last request; the same object for one request.</param>
    public void Add(PendingRequest first, PendingRequest last)
    {
        bool hasToQueue;
        using (_gate.Enter())
        {
            if (_last is null)
                _first = first;
            else
                _last.Next = first;
            _last = last;
            hasToQueue = !_isQueued;
            _isQueued = true;
        }

        if (hasToQueue)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
    }

    /// <summary>Takes a request out of a chain. Call it before the request is completed, after which the request may be used again.</summary>
    /// <returns>The next request of the chain, or <c>null</c>.</returns>
    public static PendingRequest? Unlink(PendingRequest request)
    {
        var next = request.Next;
        request.Next = null;
        return next;
    }

    /// <summary>Completes requests until none waits, or until other work gets its turn.</summary>
    public void Execute()
    {
        var taken = 0;
        while (taken < MostPerItem && TryTake(isFirst: taken == 0) is { } request)
        {
            taken++;
            request.Complete();
        }
    }

    /// <summary>Takes the next request. Queues another item if further requests wait.</summary>
    private PendingRequest? TryTake(bool isFirst)
    {
        PendingRequest? request;
        bool hasToQueue;
        using (_gate.Enter())
        {
            if (isFirst)
                _isQueued = false;
            request = _first;
            if (request is null)
                return null;
            _first = Unlink(request);
            if (_first is null)
                _last = null;
            hasToQueue = _first is not null && !_isQueued;
            _isQueued |= hasToQueue;
        }

        if (hasToQueue)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return request;
    }
}
