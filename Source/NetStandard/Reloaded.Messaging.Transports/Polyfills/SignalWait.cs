using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Polyfills;

/// <summary>The pending wait of one caller at a time. The object is reused, so that waiting does not allocate.</summary>
/// <remarks>
/// Exactly one thread succeeds in <see cref="TryTake"/>, and completes the wait outside of the lock. A registration at a cancellation token
/// allocates on this target, so it is kept until another token is used.
/// </remarks>
/// <param name="gate">The lock of the owner.</param>
/// <param name="cancelled">Called when a pending wait is cancelled, before the wait ends; <see langword="null"/> for no call.</param>
internal sealed class SignalWait(object gate, Action? cancelled = null) : IValueTaskSource, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<bool> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _isWaiting;
    private bool _isCancelled;

    /// <summary>Whether the continuation runs on another thread, also after a cancellation. Otherwise, it runs on the thread that completes the wait.</summary>
    public bool ContinuesElsewhere { get; init; }

    /// <summary>Sets the token that cancels the next waits. Called outside of the lock, because a cancellation takes the lock.</summary>
    public void Listen(CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (token == _token)
            return;
        _registration.Dispose();
        _token = token;
        _registration = token.UnsafeRegister(static self => ((SignalWait)self!).Cancel(), this);
    }

    /// <summary>Begins a wait. The caller holds the lock.</summary>
    public void Begin()
    {
        _core.Reset();
        _isCancelled = false;
        _isWaiting = true;
    }

    /// <summary>Returns the task of the wait that was begun. Called once, outside of the lock.</summary>
    public ValueTask AsTask()
    {
        if (_token.IsCancellationRequested)
            Cancel(); // the token was cancelled before the wait began
        return new ValueTask(this, _core.Version);
    }

    /// <summary>Takes the pending wait. The caller holds the lock.</summary>
    /// <returns><see langword="true"/> if a wait was pending: the caller must complete it, once; otherwise, <see langword="false"/>.</returns>
    public bool TryTake()
    {
        var isTaken = _isWaiting;
        _isWaiting = false;
        return isTaken;
    }

    /// <summary>Completes a wait that was taken.</summary>
    public void Complete()
    {
        if (ContinuesElsewhere)
            WorkQueue.Add(this);
        else
            Execute();
    }

    /// <summary>Completes the wait, and runs the continuation.</summary>
    public void Execute()
    {
        if (_isCancelled)
            _core.SetException(new OperationCanceledException(_token));
        else
            _core.SetResult(true);
    }

    /// <summary>Ends the registration at the token.</summary>
    public void Stop() => _registration.Dispose();

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Cancel()
    {
        lock (gate)
        {
            if (!TryTake())
                return;
        }

        cancelled?.Invoke();
        _isCancelled = true;
        Complete();
    }
}
