using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The requests of a client that continue after their connection is lost. While there is no connection, they are queued in the order in which they were made.</summary>
/// <typeparam name="TPeer">A peer.</typeparam>
/// <param name="limit">The maximum number of requests, including requests that were sent and have no reply.</param>
/// <param name="acceptsRequests">Whether requests can still be sent to a peer.</param>
internal sealed class ResendQueue<TPeer>(int limit, Func<TPeer, bool> acceptsRequests)
    where TPeer : class
{
    private readonly object _gate = new();
    private readonly SortedDictionary<long, TaskCompletionSource<ResendSlot<TPeer>>> _waiting = [];
    private AsyncGate _allWait;
    private TPeer? _peer;
    private long _last;
    private int _open;
    private bool _isClosed;

    /// <summary>Adds a request.</summary>
    /// <param name="place">The place of the request.</param>
    /// <returns><c>false</c> if the limit is reached.</returns>
    public bool TryEnter(out long place)
    {
        lock (_gate)
        {
            place = _last + 1;
            if (_open == limit)
                return false;
            _open++;
            _last = place;
            return true;
        }
    }

    /// <summary>Removes a request that has ended.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            _open--;
            NoteIfAllWait();
        }
    }

    /// <summary>Waits for the slot of a request. Completes at once while there is a peer.</summary>
    /// <param name="place">The place of the request.</param>
    /// <param name="lost">The peer of the lost connection over which the request was sent; <c>null</c> for a first attempt.</param>
    /// <param name="patience">The maximum time to wait.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The slot, which the caller must end. The slot has no peer if the time is over, if the token was canceled, or if the client no longer reconnects.</returns>
    public async ValueTask<ResendSlot<TPeer>> WaitForSlotAsync(long place, TPeer? lost, TimeSpan patience, CancellationToken cancellationToken)
    {
        TaskCompletionSource<ResendSlot<TPeer>> slot;
        lock (_gate)
        {
            if (_peer == lost)
                _peer = null;
            if (_peer is not null || _isClosed || patience <= TimeSpan.Zero)
                return new ResendSlot<TPeer>(_peer, null) { IsLast = _isClosed };
            slot = new TaskCompletionSource<ResendSlot<TPeer>>(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting.Add(place, slot);
            NoteIfAllWait();
        }

        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await using var registration = end.Token.UnsafeRegister(_ => GiveUp(place, slot), null).ConfigureAwait(false);
        end.CancelAfter(patience.TotalMilliseconds > int.MaxValue ? Timeout.InfiniteTimeSpan : patience);
        return await slot.Task.ConfigureAwait(false);
    }

    /// <summary>Sends all queued requests to a new peer in their order. Later requests follow.</summary>
    /// <param name="peer">The new peer.</param>
    /// <param name="stopping">Cancels the wait for requests that are being sent. This wait may be endless if the server does not read.</param>
    /// <exception cref="OperationCanceledException">Thrown when <paramref name="stopping"/> is canceled.</exception>
    public async Task OpenAsync(TPeer peer, CancellationToken stopping)
    {
        await WaitForAllAsync().WaitAsync(stopping).ConfigureAwait(false);
        while (acceptsRequests(peer)) // requests of the lost connection were added to the queue again
        {
            TaskCompletionSource<ResendSlot<TPeer>> next;
            lock (_gate)
            {
                if (!TryTakeFirst(out next))
                {
                    _peer = peer;
                    return;
                }
            }

            var taken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            next.SetResult(new ResendSlot<TPeer>(peer, taken));
            await taken.Task.WaitAsync(stopping).ConfigureAwait(false);
        }
    }

    /// <summary>Ends all queued requests and all later requests.</summary>
    public void Close()
    {
        List<TaskCompletionSource<ResendSlot<TPeer>>> all;
        lock (_gate)
        {
            _isClosed = true;
            _peer = null;
            all = [.. _waiting.Values];
            _waiting.Clear();
        }

        foreach (var slot in all)
            slot.SetResult(new ResendSlot<TPeer> { IsLast = true });
    }

    /// <summary>Completes when all open requests wait. The requests of a lost connection return to the queue one by one, on the thread pool; no later request may be sent before them.</summary>
    private Task WaitForAllAsync()
    {
        lock (_gate)
            return _waiting.Count == _open ? Task.CompletedTask : _allWait.WaitAsync();
    }

    private bool TryTakeFirst(out TaskCompletionSource<ResendSlot<TPeer>> slot)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        foreach (var (place, first) in _waiting)
        {
            _waiting.Remove(place);
            slot = first;
            return true;
        }

        slot = null!;
        return false;
    }

    private void GiveUp(long place, TaskCompletionSource<ResendSlot<TPeer>> slot)
    {
        lock (_gate)
        {
            if (!_waiting.TryGetValue(place, out var waiting) || waiting != slot)
                return; // the slot of the request was available first
            _waiting.Remove(place);
        }

        slot.SetResult(default);
    }

    private void NoteIfAllWait()
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_waiting.Count == _open)
            _allWait.Open();
    }
}
