using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A peer's unanswered requests, by correlation id: the slot's number below, how often it was used above.</summary>
/// <remarks>Each request leaves the table once, and the thread that takes it out ends it: reply, timeout, cancellation and disconnect can't meet.</remarks>
internal sealed class RequestTable(int limit)
{
    /// <summary>The most slots, and so the most unanswered requests a peer.</summary>
    public const int MaxSlots = 1 << SlotBits;

    private const int SlotBits = 12;

    private readonly object _gate = new();
    private PendingRequest?[] _slots = new PendingRequest?[16];
    private uint[] _uses = new uint[16];
    private int[] _free = new int[16];
    private int _freeCount;
    private int _used;
    private TaskCompletionSource? _room;
    private bool _isClosed;

    /// <summary>How many are unanswered.</summary>
    public int Count { get; private set; }

    /// <summary>Makes a request that waits for its reply from now on, with an id and a place.</summary>
    /// <param name="owner">Who asks.</param>
    /// <param name="contract">What is to come.</param>
    /// <param name="limits">What is believed of it.</param>
    /// <param name="timeout">How long it waits.</param>
    /// <param name="cancellationToken">Whether it is canceled already.</param>
    /// <param name="request">The request; ended, if there is no room for it, nobody to ask, or nobody wants it any more.</param>
    /// <param name="status">Why it is not to be sent: <see cref="RequestStatus.Full"/>, <see cref="RequestStatus.NotSent"/> or <see cref="RequestStatus.Canceled"/>; otherwise, <see cref="RequestStatus.Replied"/>.</param>
    /// <returns>Whether it is to be sent.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not longer than zero.</exception>
    public bool TryBegin<TReply>(
        IRequestOwner owner,
        MessageContract<TReply> contract,
        MessageLimits limits,
        TimeSpan timeout,
        CancellationToken cancellationToken,
        out PendingRequest<TReply> request,
        out RequestStatus status)
    {
        if (timeout <= TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(nameof(timeout), timeout, $"{timeout} is out of range: a timeout is longer than zero.");
        request = PendingRequest<TReply>.Rent(owner, contract, limits, cancellationToken);
        request.Deadline = timeout > TimeSpan.FromDays(100) ? long.MaxValue - 1 : Environment.TickCount64 + (long)Math.Ceiling(timeout.TotalMilliseconds);
        status = cancellationToken.IsCancellationRequested ? RequestStatus.Canceled : TryAdd(request);
        if (status != RequestStatus.Replied)
            request.EndUnsent(status);
        return status == RequestStatus.Replied;
    }

    /// <summary>Gives a request its id and a place.</summary>
    /// <returns><see cref="RequestStatus.Replied"/> if it has them; otherwise, <see cref="RequestStatus.Full"/> or <see cref="RequestStatus.NotSent"/>.</returns>
    public RequestStatus TryAdd(PendingRequest request)
    {
        lock (_gate)
        {
            if (_isClosed)
                return RequestStatus.NotSent;
            if (Count == limit)
                return RequestStatus.Full;

            var slot = _freeCount > 0 ? _free[--_freeCount] : _used++;
            if (slot == _slots.Length)
            {
                Array.Resize(ref _slots, slot * 2);
                Array.Resize(ref _uses, slot * 2);
                Array.Resize(ref _free, slot * 2);
            }

            request.Id = (++_uses[slot] << SlotBits) | (uint)slot;
            _slots[slot] = request;
            Count++;
            return RequestStatus.Replied;
        }
    }

    /// <summary>Completes when the table may have room for a request, or is closed.</summary>
    public Task WaitForRoomAsync()
    {
        lock (_gate)
        {
            if (_isClosed || Count < limit)
                return Task.CompletedTask;
            return (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Takes a request out.</summary>
    /// <returns>False for an id that is not, or no longer, in the table.</returns>
    public bool TryTake(uint id, [NotNullWhen(true)] out PendingRequest? request)
    {
        lock (_gate)
        {
            var slot = (int)(id & (MaxSlots - 1));
            request = slot < _used ? _slots[slot] : null;
            if (request is null || request.Id != id)
            {
                request = null;
                return false;
            }

            Free(slot);
            return true;
        }
    }

    /// <summary>Ends those that have waited long enough.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    /// <param name="ended">Where each is counted before it ends, so that whoever waits for it finds it there.</param>
    public void EndOverdue(long now, ref long ended)
    {
        while (TryTakeDue(now, out var request))
        {
            Interlocked.Increment(ref ended);
            request.End(RequestStatus.TimedOut);
        }
    }

    /// <summary>Ends all, and those to come.</summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
        EndAll();
    }

    /// <summary>Ends all that are in it now.</summary>
    public void EndAll()
    {
        while (TryTakeDue(long.MaxValue, out var request))
            request.End(RequestStatus.Disconnected);
    }

    private bool TryTakeDue(long now, [NotNullWhen(true)] out PendingRequest? request)
    {
        lock (_gate)
        {
            for (var slot = 0; Count > 0 && slot < _used; slot++)
            {
                request = _slots[slot];
                if (request is null || request.Deadline > now)
                    continue;
                Free(slot);
                return true;
            }
        }

        request = null;
        return false;
    }

    private void Free(int slot)
    {
        _slots[slot] = null;
        _free[_freeCount++] = slot;
        Count--;
        _room?.SetResult();
        _room = null;
    }
}
