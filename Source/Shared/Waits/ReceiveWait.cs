using System.Diagnostics;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging;

/// <summary>The pending wait of one caller at a time, for example a receive that waits for bytes or a send that waits for room. The object is reused, so that waiting does not allocate.</summary>
/// <remarks>
/// Exactly one thread succeeds in <see cref="TryTake"/>, and completes the wait. It does so outside of the lock, because the continuation runs on that
/// thread and handles the received data.
/// </remarks>
/// <param name="gate">The lock of the owner.</param>
/// <param name="runsContinuationsAsynchronously">Whether the continuation runs on the thread pool instead of the thread that completes the wait.</param>
internal sealed class ReceiveWait<T>(object gate, bool runsContinuationsAsynchronously = false) : IValueTaskSource<T>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<T> _core = new() { RunContinuationsAsynchronously = runsContinuationsAsynchronously };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private CancellationToken _registered;
    private bool _isWaiting;

    /// <summary>Whether the registration at a cancellation token is kept for the next waits with the same token, until <see cref="Stop"/>. A registration allocates on Mono, and does not on .NET.</summary>
    public bool KeepsRegistration { get; init; }

    /// <summary>Whether a wait is pending. Any thread may read it.</summary>
    public bool IsPending => Volatile.Read(ref _isWaiting);

    /// <summary>Begins a wait. The caller holds the lock.</summary>
    public void Begin(CancellationToken cancellationToken)
    {
        Debug.Assert(Monitor.IsEntered(gate));
        _core.Reset();
        _token = cancellationToken;
        _isWaiting = true;
    }

    /// <summary>Returns the task of the wait that was begun. Either this method or <see cref="AsVoidTask"/> is called once, outside of the lock.</summary>
    public ValueTask<T> AsTask()
    {
        Register();
        return new ValueTask<T>(this, _core.Version);
    }

    /// <inheritdoc cref="AsTask"/>
    public ValueTask AsVoidTask()
    {
        Register();
        return new ValueTask(this, _core.Version);
    }

    /// <summary>Takes the pending wait. The caller holds the lock.</summary>
    /// <returns><see langword="true"/> if a wait was pending: the caller must complete it, once; otherwise, <see langword="false"/>.</returns>
    public bool TryTake()
    {
        Debug.Assert(Monitor.IsEntered(gate));
        var isTaken = _isWaiting;
        _isWaiting = false;
        return isTaken;
    }

    public void SetResult(T result) => _core.SetResult(result);

    public void SetException(Exception exception) => _core.SetException(exception);

    /// <summary>Ends a registration that is kept.</summary>
    public void Stop() => _registration.Dispose();

    public T GetResult(short token)
    {
        if (!KeepsRegistration)
            _registration.Dispose(); // after this call, no cancellation of this wait can affect the next wait
        return _core.GetResult(token);
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Register()
    {
        if (KeepsRegistration)
        {
            if (_token == _registered)
            {
                if (_token.IsCancellationRequested)
                    Cancel(); // the token was cancelled before the wait began
                return;
            }

            _registration.Dispose();
            _registered = _token;
        }

        _registration = _token.UnsafeRegister(static self => ((ReceiveWait<T>)self!).Cancel(), this);
    }

    private void Cancel()
    {
        lock (gate)
        {
            if (!_token.IsCancellationRequested || !TryTake()) // a kept registration may belong to the token of an earlier wait
                return;
        }

        _core.SetException(new OperationCanceledException(_token));
    }
}
