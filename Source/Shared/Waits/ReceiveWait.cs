using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging;

/// <summary>The pending receive of a channel, completed when data arrives, or its pending send, completed when there is room. The object is reused, so that waiting does not allocate.</summary>
/// <remarks>
/// Exactly one thread succeeds in <see cref="TryTake"/>, and completes the receive. It does so outside of the lock, because the continuation handles the received data on that thread.
/// </remarks>
/// <param name="gate">The lock of the owner.</param>
/// <param name="runsContinuationsAsynchronously">Whether the continuation runs on the thread pool instead of the thread that completes the receive.</param>
internal sealed class ReceiveWait<T>(object gate, bool runsContinuationsAsynchronously = false) : IValueTaskSource<T>
{
    private ManualResetValueTaskSourceCore<T> _core = new() { RunContinuationsAsynchronously = runsContinuationsAsynchronously };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _isWaiting;

    /// <summary>Begins a receive. The caller holds the lock.</summary>
    public void Begin(CancellationToken cancellationToken)
    {
        _core.Reset();
        _token = cancellationToken;
        _isWaiting = true;
    }

    /// <summary>Returns the task of the receive that was begun. Called once, outside of the lock.</summary>
    public ValueTask<T> AsTask()
    {
        _registration = _token.UnsafeRegister(static self => ((ReceiveWait<T>)self!).Cancel(), this);
        return new ValueTask<T>(this, _core.Version);
    }

    /// <summary>Takes the pending receive. The caller holds the lock.</summary>
    /// <returns><see langword="true"/> if a receive was pending: the caller must complete it, once; otherwise, <see langword="false"/>.</returns>
    public bool TryTake()
    {
        var isTaken = _isWaiting;
        _isWaiting = false;
        return isTaken;
    }

    public void SetResult(T result) => _core.SetResult(result);

    public void SetException(Exception exception) => _core.SetException(exception);

    T IValueTaskSource<T>.GetResult(short token)
    {
        _registration.Dispose(); // after this call, no cancellation of this receive can affect the next receive
        return _core.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<T>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<T>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Cancel()
    {
        lock (gate)
        {
            if (!TryTake())
                return;
        }

        _core.SetException(new OperationCanceledException(_token));
    }
}
