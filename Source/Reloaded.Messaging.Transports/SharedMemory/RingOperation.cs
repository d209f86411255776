using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging;

/// <summary>A receive or a send that waits for the other side. One at a time; used again and again, so that waiting allocates nothing.</summary>
/// <param name="spin">How long to spin before such a wait; learns from each.</param>
internal abstract class RingOperation(SpinTime spin) : IRingWait, IValueTaskSource<int>, IValueTaskSource
{
    private readonly object _gate = new();
    private ManualResetValueTaskSourceCore<int> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private long _begun;
    private volatile bool _isPending;
    private volatile bool _isOver;

    public bool IsOver => _isOver;

    public bool IsPending => _isPending;

    public abstract bool CanComplete { get; }

    /// <summary>Begins a wait. Then the caller has the waiter begin, and returns <see cref="Task"/> or <see cref="IntTask"/>.</summary>
    /// <param name="begun">When the operation began, as a timestamp of <see cref="Stopwatch"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns><c>false</c> if the channel was closed.</returns>
    public bool TryBegin(long begun, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_isOver)
                return false;
            _core.Reset();
            (_begun, _token, _isPending) = (begun, cancellationToken, true);
            return true;
        }
    }

    public ValueTask<int> IntTask()
    {
        Register();
        return new ValueTask<int>(this, _core.Version);
    }

    public ValueTask Task()
    {
        Register();
        return new ValueTask(this, _core.Version);
    }

    /// <summary>Ends the wait that is under way, if any, and every later one. The waiter has to be notified then.</summary>
    public void End()
    {
        lock (_gate)
            _isOver = true;
    }

    public void Complete()
    {
        int result;
        Exception? failure;
        lock (_gate)
        {
            if (!_isPending)
                return;
            if (_isOver)
                (result, failure) = (0, Closed());
            else if (!TryComplete(out result, out failure))
                return;
            _isPending = false;
        }

        spin.NoteWait(Stopwatch.GetTimestamp() - _begun);
        if (failure is null)
            _core.SetResult(result);
        else
            _core.SetException(failure);
    }

    public int GetResult(short token)
    {
        _registration.Dispose(); // after this no late call of it meets the next operation
        return _core.GetResult(token);
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    /// <summary>Goes on with the operation. Under the lock, on the waiter's thread.</summary>
    /// <returns>Whether it is complete, by its result or its failure.</returns>
    protected abstract bool TryComplete(out int result, out Exception? failure);

    /// <summary>The failure of an operation whose channel was closed.</summary>
    protected abstract Exception Closed();

    private void Register() => _registration = _token.UnsafeRegister(static self => ((RingOperation)self!).Cancel(), this);

    private void Cancel()
    {
        lock (_gate)
        {
            if (!_isPending)
                return;
            _isPending = false;
        }

        _core.SetException(new OperationCanceledException(_token));
    }
}
