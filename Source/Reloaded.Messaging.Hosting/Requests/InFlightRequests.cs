using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A peer's requests that wait for a pump or whose handlers run on, and may be taken back until they are answered.</summary>
/// <remarks>
/// Each has a source of its own, all that an asynchronous handler's request allocates. One that is used again would cancel whoever kept
/// the token of a request that has ended. Every operation except <see cref="Close"/> takes the same time however many requests there are.
/// </remarks>
internal sealed class InFlightRequests(Action<Exception> failed)
{
    private readonly object _gate = new();
    private readonly Dictionary<uint, bool> _waiting = []; // for a pump, and whether they were taken back
    private readonly Dictionary<uint, Answer> _running = []; // the latest of each id: a peer may use an id more than once
    private bool _isClosed;

    /// <summary>A request waits for a pump.</summary>
    public void Enqueue(uint correlationId)
    {
        lock (_gate)
        {
            if (!_isClosed)
                _waiting.TryAdd(correlationId, false);
        }
    }

    /// <summary>It was pumped: whatever is to begin has begun.</summary>
    public void NotePumped(uint correlationId)
    {
        lock (_gate)
            _waiting.Remove(correlationId);
    }

    /// <summary>A handler begins.</summary>
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

        answer.Cancel(); // before anyone has its token
        return answer;
    }

    /// <summary>It has ended.</summary>
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

    /// <summary>The other side no longer waits for one.</summary>
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

    /// <summary>Cancels all, and those to come.</summary>
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
        if (latest.Older is { } older)
            _running[latest.CorrelationId] = older;
        else
            _running.Remove(latest.CorrelationId);
    }

    // On the pool: what the token's listeners do, and throw, is not for the thread that receives.
    private async Task CancelAsync(Answer answer)
    {
        try
        {
            await answer.CancelAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            failed(e);
        }
    }

    /// <summary>One that runs: its token, and the other requests with its id.</summary>
    internal sealed class Answer(uint correlationId) : CancellationTokenSource
    {
        public uint CorrelationId => correlationId;

        public Answer? Older { get; set; }

        public Answer? Newer { get; set; }
    }
}
