using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>The unanswered requests that were sent over one connection, by correlation id. For authors of hosts.</summary>
/// <remarks>Thread-safe. Each request leaves the table once, and the thread that takes it out ends it. A reply, a timeout, a cancellation and a disconnect therefore never end the same request twice.</remarks>
/// <param name="limit">The maximum number of unanswered requests (1 to <see cref="MaxSlots"/>).</param>
/// <param name="allowsSynchronousContinuations">Whether the continuation of a request may run on the thread that ends it with a reply or a fault.</param>
public sealed class RequestTable(int limit, bool allowsSynchronousContinuations = false)
{
    /// <summary>The maximum number of unanswered requests of a table (4096).</summary>
    public const int MaxSlots = 1 << 12;

    private const int NoSlot = -1;

    private const int SlotBits = 12; // a correlation id contains the slot number in its low bits, and the use count of the slot in its high bits

    private ShortLock _gate = new();
    private readonly RequestCompletions _completions = new();
    private Slot[] _slots = [];
    private int _free = NoSlot; // the slot that was freed last
    private int _used;
    private long _earliest = long.MaxValue; // no request times out earlier
    private AsyncGate _room;
    private bool _isClosed;

    /// <summary>The number of unanswered requests.</summary>
    public int Count { get; private set; }

    /// <summary>Begins a request. The request receives a correlation id and waits for its reply.</summary>
    /// <param name="owner">The sender.</param>
    /// <param name="contract">The contract of the reply.</param>
    /// <param name="limits">The limits of the reply.</param>
    /// <param name="timeout">The time to wait for the reply (more than zero). <see cref="EndOverdue"/> enforces it.</param>
    /// <param name="cancellationToken">The caller's token. Pass it to <see cref="PendingRequest{TReply}.CancelBy"/> after the request was sent.</param>
    /// <param name="request">The request. It has already ended if the method returns <see langword="false"/>.</param>
    /// <param name="status">The reason not to send the request: <see cref="RequestStatus.Full"/>, <see cref="RequestStatus.NotSent"/> or <see cref="RequestStatus.Canceled"/>; otherwise, <see cref="RequestStatus.Replied"/>.</param>
    /// <returns><see langword="true"/> if the caller must send the request; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when <paramref name="timeout"/> is not more than zero.</exception>
    public bool TryBegin<TReply>(
        IRequestOwner owner,
        MessageContract<TReply> contract,
        MessageLimits limits,
        TimeSpan timeout,
        CancellationToken cancellationToken,
        out PendingRequest<TReply> request,
        out RequestStatus status) => TryBeginObserved(owner, contract, limits, timeout, null, null, cancellationToken, out request, out status);

    /// <summary>Begins a request that ends an operation.</summary>
    /// <param name="owner">The sender.</param>
    /// <param name="contract">The contract of the reply.</param>
    /// <param name="limits">The limits of the reply.</param>
    /// <param name="timeout">The time to wait for the reply.</param>
    /// <param name="operation">The operation that the request ends; <see langword="null"/> if it is not observed.</param>
    /// <param name="ends">Counts the end of the request; <see langword="null"/> if it is not counted.</param>
    /// <param name="cancellationToken">The caller's token.</param>
    /// <param name="request">The request.</param>
    /// <param name="status">The reason not to send the request.</param>
    /// <inheritdoc cref="TryBegin"/>
    internal bool TryBeginObserved<TReply>(
        IRequestOwner owner,
        MessageContract<TReply> contract,
        MessageLimits limits,
        TimeSpan timeout,
        MessageOperation? operation,
        Counters<RequestStatus>? ends,
        CancellationToken cancellationToken,
        out PendingRequest<TReply> request,
        out RequestStatus status)
    {
        Guard.Positive(timeout, nameof(timeout));
        request = PendingRequest<TReply>.Rent(owner, this, contract, limits, operation, cancellationToken);
        request.Timeout = timeout;
        request.EndCounts = ends;
        request.Deadline = timeout.Ticks > 100 * TimeSpan.TicksPerDay ? long.MaxValue - 1 : Environment.TickCount64 + ((timeout.Ticks + TimeSpan.TicksPerMillisecond - 1) / TimeSpan.TicksPerMillisecond);
        status = cancellationToken.IsCancellationRequested ? RequestStatus.Canceled : TryAdd(request);
        if (status != RequestStatus.Replied)
            request.EndUnsent(status);
        return status == RequestStatus.Replied;
    }

    /// <summary>Assigns an id and a slot to a request.</summary>
    /// <returns><see cref="RequestStatus.Replied"/> on success; otherwise, <see cref="RequestStatus.Full"/> or <see cref="RequestStatus.NotSent"/>.</returns>
    internal RequestStatus TryAdd(PendingRequest request)
    {
        using (_gate.Enter())
        {
            if (_isClosed)
                return RequestStatus.NotSent;
            if (Count == limit)
                return RequestStatus.Full;

            var number = _free;
            if (number == NoSlot)
            {
                number = _used++;
                if (number == _slots.Length)
                    Array.Resize(ref _slots, Math.Max(number * 2, 4));
            }
            else
            {
                _free = _slots[number].NextFree;
            }

            ref var slot = ref _slots[number];
            request.Id = (++slot.Uses << SlotBits) | (uint)number;
            slot.Request = request;
            if (request.Deadline < _earliest)
                Volatile.Write(ref _earliest, request.Deadline);
            Count++;
            return RequestStatus.Replied;
        }
    }

    /// <summary>Completes when the table may have room for a request, or when it is closed.</summary>
    internal Task WaitForRoomAsync()
    {
        using (_gate.Enter())
        {
            if (_isClosed || Count < limit)
                return Task.CompletedTask;
            return _room.WaitAsync();
        }
    }

    /// <summary>Whether a request is unanswered.</summary>
    internal bool Contains(uint id)
    {
        using (_gate.Enter())
            return (int)(id & (MaxSlots - 1)) is var slot && slot < _used && _slots[slot].Request?.Id == id;
    }

    /// <summary>Takes a request out of the table. The caller ends it.</summary>
    /// <param name="id">The correlation id.</param>
    /// <param name="request">The request, or <see langword="null"/>.</param>
    /// <returns><see langword="true"/> if the table held the request; otherwise, <see langword="false"/>.</returns>
    public bool TryTake(uint id, [NotNullWhen(true)] out PendingRequest? request)
    {
        using (_gate.Enter())
        {
            var slot = (int)(id & (MaxSlots - 1));
            request = slot < _used ? _slots[slot].Request : null;
            if (request is null || request.Id != id)
            {
                request = null;
                return false;
            }

            Free(slot);
            return true;
        }
    }

    /// <summary>Whether a request may time out.</summary>
    internal bool HasDeadline => Volatile.Read(ref _earliest) != long.MaxValue;

    /// <summary>Ends the requests that have timed out. A host calls it from a timer.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    /// <param name="counters">Counts each request before the request ends, so that its caller sees the counter.</param>
    public void EndOverdue(long now, RequestCounters counters)
    {
        var due = TakeDue(now);
        while (due.TryTake(out var request))
        {
            counters.CountTimeout();
            request.End(RequestStatus.TimedOut);
        }
    }

    /// <summary>Ends all requests as disconnected, and each later request as not sent.</summary>
    public void Close()
    {
        using (_gate.Enter())
            _isClosed = true;
        EndAll();
    }

    /// <summary>Ends the requests that are in the table now as disconnected.</summary>
    public void EndAll()
    {
        var all = TakeDue(long.MaxValue);
        while (all.TryTake(out var request))
            request.End(RequestStatus.Disconnected);
    }

    /// <summary>Completes requests that ended with a reply or a fault, on this thread if the table allows synchronous continuations.</summary>
    /// <param name="ended">The requests, at least one.</param>
    internal void Complete(RequestChain ended)
    {
        if (!allowsSynchronousContinuations)
        {
            _completions.Add(in ended);
            return;
        }

        while (ended.TryTake(out var request))
            request.Complete();
    }

    /// <summary>Completes a request on the thread pool.</summary>
    internal void CompleteLater(PendingRequest request) => _completions.Add(RequestChain.Of(request));

    /// <summary>Takes the requests whose time has come out of the table.</summary>
    private RequestChain TakeDue(long now)
    {
        var due = default(RequestChain);
        if (now < Volatile.Read(ref _earliest))
            return due;
        using (_gate.Enter())
        {
            Volatile.Write(ref _earliest, long.MaxValue);
            for (var slot = 0; slot < _used; slot++)
            {
                if (_slots[slot].Request is not { } request)
                    continue;
                if (request.Deadline > now)
                {
                    Volatile.Write(ref _earliest, Math.Min(_earliest, request.Deadline));
                    continue;
                }

                Free(slot);
                due.Add(request);
            }
        }

        return due;
    }

    private void Free(int slot)
    {
        _gate.AssertHeld();
        _slots[slot].Request = null;
        _slots[slot].NextFree = _free;
        _free = slot;
        Count--;
        _room.Open();
    }

    /// <summary>A place for a request. A thread needs one line of the cache for the fields of a slot.</summary>
    internal struct Slot
    {
        /// <summary>The request; <see langword="null"/> if the slot is free.</summary>
        public PendingRequest? Request;

        /// <summary>The number of requests that had the slot.</summary>
        public uint Uses;

        /// <summary>The slot that was freed before this one, or <see cref="NoSlot"/>.</summary>
        public int NextFree;
    }
}

/// <summary>Completes the ended requests of one connection on the thread pool, in the order in which they ended. The continuations of the requests run there.</summary>
/// <remarks>
/// One item of the thread pool completes many requests, because an item for each request costs more than the rest of its reply. A continuation may block its
/// thread. Therefore, another item is queued before a continuation runs while further requests wait, and another thread can complete them.
/// </remarks>
internal sealed class RequestCompletions : IThreadPoolWorkItem
{
    /// <summary>The maximum number of requests that one item completes, so that other work of the thread pool gets its turn.</summary>
    private const int MostPerItem = 256;

    private ShortLock _gate = new();
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

/// <summary>The sender of requests in a <see cref="RequestTable"/>. For authors of hosts.</summary>
/// <remarks>Any thread may call the members.</remarks>
public interface IRequestOwner
{
    /// <summary>Takes a request out of the table and ends it as canceled, if it is still in the table. Called when the caller's token was canceled.</summary>
    /// <param name="request">The request.</param>
    void CancelRequest(PendingRequest request);

    /// <summary>Returns a sentence that says why the connection of the request has ended, or <c>null</c> if the reason is not known.</summary>
    string? DescribeEnd();

    /// <summary>Reports that a reply could not be read because its serializer threw.</summary>
    /// <param name="type">The message type of the reply.</param>
    /// <param name="exception">The exception.</param>
    void ReportFailure(uint type, Exception exception);
}
