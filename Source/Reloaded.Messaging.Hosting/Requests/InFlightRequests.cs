using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The requests of a peer that wait for a pump or whose handlers run. They can be canceled until their reply is sent.</summary>
/// <remarks>
/// Each request has its own cancellation source, which is the only allocation of a request with an asynchronous handler. A reused source could cancel code
/// that kept the token of an earlier request. The time of every operation except <see cref="Close"/> does not depend on the number of requests.
/// </remarks>
internal sealed class InFlightRequests(HostEvents events, Peer? peer)
{
    private readonly object _gate = new();
    private readonly Dictionary<uint, bool> _waiting = []; // the requests that wait for a pump, and whether they were canceled
    private readonly Dictionary<uint, Answer> _running = []; // the latest request of each id; a peer may use an id more than once
    private bool _isClosed;

    /// <summary>Adds a request that waits for a pump.</summary>
    public void Enqueue(uint correlationId)
    {
        lock (_gate)
        {
            if (!_isClosed)
                _waiting.TryAdd(correlationId, false);
        }
    }

    /// <summary>Removes a request that was pumped. Its handler has started, if it starts at all.</summary>
    public void NotePumped(uint correlationId)
    {
        lock (_gate)
            _waiting.Remove(correlationId);
    }

    /// <summary>Adds a request whose handler starts.</summary>
    public Answer Begin(uint correlationId)
    {
        var answer = new Answer(correlationId);
        lock (_gate)
        {
            var isTakenBack = _waiting.Remove(correlationId, out var isCanceled) && isCanceled;
            if (!_isClosed && !isTakenBack)
            {
                if (!_running.TryAdd(correlationId, answer))
                {
                    var older = _running[correlationId];
                    (answer.Older, older.Newer) = (older, answer);
                    _running[correlationId] = answer;
                }

                return answer;
            }
        }

        answer.Cancel(); // before the token is passed to the handler
        return answer;
    }

    /// <summary>Removes a request whose handler has ended.</summary>
    public void End(Answer answer)
    {
        lock (_gate)
        {
            if (answer.Newer is not null)
                answer.Newer.Older = answer.Older;
            else if (_running.TryGetValue(answer.CorrelationId, out var latest) && latest == answer)
                Replace(answer);
            if (answer.Older is not null)
                answer.Older.Newer = answer.Newer;
            answer.Older = answer.Newer = null;
        }
    }

    /// <summary>Cancels a request, because the remote side no longer waits for its reply.</summary>
    public void Cancel(uint correlationId)
    {
        lock (_gate)
        {
            if (_running.TryGetValue(correlationId, out var answer))
                _ = CancelAsync(answer);
            else if (_waiting.ContainsKey(correlationId))
                _waiting[correlationId] = true;
        }
    }

    /// <summary>Cancels all requests, and every request that is added later.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _waiting.Clear();
            foreach (var (_, latest) in _running)
            {
                for (var answer = latest; answer is not null; answer = answer.Older)
                    _ = CancelAsync(answer);
            }
        }
    }

    private void Replace(Answer latest)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (latest.Older is { } older)
            _running[latest.CorrelationId] = older;
        else
            _running.Remove(latest.CorrelationId);
    }

    /// <summary>Cancels the token of a handler or of a source. Runs on the thread pool, because callbacks of the token may block or throw, and the calling thread must continue.</summary>
    public Task CancelAsync(CancellationTokenSource source) => events.CallAsync(peer, () => new ValueTask(source.CancelAsync()));

    /// <summary>A request whose handler runs: its cancellation source, and links to the other requests with the same id.</summary>
    internal sealed class Answer(uint correlationId) : CancellationTokenSource
    {
        public uint CorrelationId => correlationId;

        public Answer? Older;

        public Answer? Newer;
    }
}
