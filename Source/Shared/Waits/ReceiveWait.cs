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
    private bool _isStopped;

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

    /// <summary>Ends a registration that is kept. No wait begins afterwards. The token keeps this object no longer, and this object keeps nothing of the token.</summary>
    public void Stop()
    {
        CancellationTokenRegistration registration;
        lock (gate)
        {
            registration = _registration;
            (_registration, _registered, _token, _isStopped) = (default, default, default, true); // a registration whose callback ran keeps the later callbacks of its token
        }

        registration.Dispose(); // outside of the lock, because it waits for a callback that runs
    }

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
        var token = _token;
        if (!KeepsRegistration)
        {
            _registration = RegisterAt(token);
        }
        else if (token != _registered)
        {
            _registration.Dispose();
            Keep(RegisterAt(token), token);
        }
        else if (token.IsCancellationRequested)
        {
            Cancel(); // the token was cancelled before the wait began
        }
    }

    private CancellationTokenRegistration RegisterAt(CancellationToken token) => token.UnsafeRegister(static self => ((ReceiveWait<T>)self!).Cancel(), this);

    private void Keep(CancellationTokenRegistration registration, CancellationToken token)
    {
        lock (gate)
        {
            if (!_isStopped)
            {
                (_registration, _registered) = (registration, token);
                return;
            }
        }

        registration.Dispose(); // the wait was stopped after it began
    }

    private void Cancel()
    {
        CancellationToken token;
        lock (gate)
        {
            token = _token;
            if (!token.IsCancellationRequested || !TryTake()) // a kept registration may belong to the token of an earlier wait
                return;
        }

        _core.SetException(new OperationCanceledException(token));
    }
}
