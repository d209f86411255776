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
    private RequestChain _waiting;
    private bool _isQueued; // true while a request waits

    /// <summary>Completes requests on the thread pool.</summary>
    /// <param name="ended">The requests, at least one.</param>
    public void Add(in RequestChain ended)
    {
        bool hasToQueue;
        using (_gate.Enter())
        {
            _waiting.Add(in ended);
            hasToQueue = !_isQueued;
            _isQueued = true;
        }

        if (hasToQueue)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
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
            if (!_waiting.TryTake(out request))
                return null;
            hasToQueue = !_waiting.IsEmpty && !_isQueued;
            _isQueued |= hasToQueue;
        }

        if (hasToQueue)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return request;
    }
}
