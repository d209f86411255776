using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A client's requests that outlive a connection: while there is none they stand in line, in the order in which they were made.</summary>
/// <typeparam name="TPeer">A peer.</typeparam>
/// <param name="limit">The most requests at once, those that were sent and have no reply included.</param>
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

    /// <summary>Takes in a request.</summary>
    /// <param name="place">Its place.</param>
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

    /// <summary>A request has ended.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            _open--;
            NoteIfAllWait();
        }
    }

    /// <summary>Waits for a request's turn: at once while there is a peer.</summary>
    /// <param name="place">Its place.</param>
    /// <param name="lost">The peer that it was sent to in vain, if any.</param>
    /// <param name="patience">How long it waits.</param>
    /// <param name="cancellationToken">Ends its wait.</param>
    /// <returns>Its turn, which it has to end; without a peer when it has waited long enough, was canceled, or there will be none any more.</returns>
    public async ValueTask<ResendSlot<TPeer>> WaitForTurnAsync(long place, TPeer? lost, TimeSpan patience, CancellationToken cancellationToken)
    {
        var turn = new TaskCompletionSource<ResendSlot<TPeer>>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_peer == lost)
                _peer = null;
            if (_peer is not null || _isClosed || patience <= TimeSpan.Zero)
                return new ResendSlot<TPeer>(_peer, null) { IsLast = _isClosed };
            _waiting.Add(place, turn);
            NoteIfAllWait();
        }

        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await using var registration = end.Token.UnsafeRegister(_ => GiveUp(place, turn), null).ConfigureAwait(false);
        end.CancelAfter(patience.TotalMilliseconds > int.MaxValue ? Timeout.InfiniteTimeSpan : patience);
        return await turn.Task.ConfigureAwait(false);
    }

    /// <summary>Sends all that wait to a new peer, in their order, and those that come later behind them.</summary>
    /// <param name="peer">The new peer.</param>
    /// <param name="stopping">Ends the wait for requests that are being sent. A server that does not read may make that wait endless.</param>
    /// <exception cref="OperationCanceledException">Thrown when <paramref name="stopping"/> is canceled.</exception>
    public async Task OpenAsync(TPeer peer, CancellationToken stopping)
    {
        await WaitForAllAsync().WaitAsync(stopping).ConfigureAwait(false);
        while (acceptsRequests(peer)) // those that were sent in vain are back in line
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

    /// <summary>Ends all that wait, and those to come.</summary>
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

        foreach (var turn in all)
            turn.SetResult(new ResendSlot<TPeer> { IsLast = true });
    }

    /// <summary>Those that the lost connection had are told one after the other, on the thread pool: none may be overtaken.</summary>
    private Task WaitForAllAsync()
    {
        lock (_gate)
            return _waiting.Count == _open ? Task.CompletedTask : _allWait.WaitAsync();
    }

    private bool TryTakeFirst(out TaskCompletionSource<ResendSlot<TPeer>> turn)
    {
        foreach (var (place, first) in _waiting)
        {
            _waiting.Remove(place);
            turn = first;
            return true;
        }

        turn = null!;
        return false;
    }

    private void GiveUp(long place, TaskCompletionSource<ResendSlot<TPeer>> turn)
    {
        lock (_gate)
        {
            if (!_waiting.TryGetValue(place, out var waiting) || waiting != turn)
                return; // its turn came first
            _waiting.Remove(place);
        }

        turn.SetResult(default);
    }

    private void NoteIfAllWait()
    {
        if (_waiting.Count == _open)
            _allWait.Open();
    }
}
