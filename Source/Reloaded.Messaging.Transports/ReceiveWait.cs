using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging;

/// <summary>The one receive of a channel that waits for what others add: used again and again, so that waiting allocates nothing.</summary>
/// <remarks>
/// Whoever takes it by <see cref="TryTake"/>, which is one thread, completes it: outside of the lock, since what is received is handled there.
/// </remarks>
/// <param name="gate">The lock of whoever owns it.</param>
internal sealed class ReceiveWait<T>(object gate) : IValueTaskSource<T>
{
    private ManualResetValueTaskSourceCore<T> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _isWaiting;

    /// <summary>Begins one. Under the lock.</summary>
    public void Begin(CancellationToken cancellationToken)
    {
        _core.Reset();
        _token = cancellationToken;
        _isWaiting = true;
    }

    /// <summary>What the receive that was begun returns. Outside of the lock, once.</summary>
    public ValueTask<T> AsTask()
    {
        _registration = _token.UnsafeRegister(static self => ((ReceiveWait<T>)self!).Cancel(), this);
        return new ValueTask<T>(this, _core.Version);
    }

    /// <summary>Takes the receive that waits. Under the lock.</summary>
    /// <returns>False if there is none. Otherwise it is the caller's to complete, once.</returns>
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
        _registration.Dispose(); // after this no late call of it meets the next receive
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
