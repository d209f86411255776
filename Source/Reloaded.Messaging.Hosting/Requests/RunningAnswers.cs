using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Requests;

/// <summary>A peer's requests that wait for a pump or whose handlers run on, and may be taken back until they are answered.</summary>
/// <remarks>
/// Each has a source of its own, all that an asynchronous handler's request allocates. One that is used again would cancel whoever kept
/// the token of a request that has ended.
/// </remarks>
internal sealed class RunningAnswers(Action<Exception> failed)
{
    private readonly object _gate = new();
    private readonly Dictionary<uint, bool> _waiting = []; // for a pump, and whether they were taken back
    private Answer? _first;
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
                answer.Next = _first;
                if (_first is not null)
                    _first.Previous = answer;
                _first = answer;
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
            if (answer.Previous is not null)
                answer.Previous.Next = answer.Next;
            else if (_first == answer)
                _first = answer.Next;
            if (answer.Next is not null)
                answer.Next.Previous = answer.Previous;
            answer.Next = answer.Previous = null;
        }
    }

    /// <summary>The other side no longer waits for one.</summary>
    public void Cancel(uint correlationId)
    {
        lock (_gate)
        {
            for (var answer = _first; answer is not null; answer = answer.Next)
            {
                if (answer.CorrelationId != correlationId)
                    continue;
                _ = CancelAsync(answer);
                return;
            }

            if (_waiting.ContainsKey(correlationId))
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
            for (var answer = _first; answer is not null; answer = answer.Next)
                _ = CancelAsync(answer);
        }
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

    /// <summary>One that runs: its token, and its place among the others.</summary>
    internal sealed class Answer(uint correlationId) : CancellationTokenSource
    {
        public uint CorrelationId => correlationId;

        public Answer? Next { get; set; }

        public Answer? Previous { get; set; }
    }
}
