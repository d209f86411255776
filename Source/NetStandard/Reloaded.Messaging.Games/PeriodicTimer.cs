using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Polyfills;

/// <summary>A periodic timer. Ticks without a waiting caller are combined into one. The continuation of a wait runs on the timer's thread.</summary>
internal sealed class PeriodicTimer : IDisposable, IValueTaskSource<bool>
{
    private readonly object _gate = new();
    private readonly ITimer _timer;
    private ManualResetValueTaskSourceCore<bool> _core;
    private TimeSpan _period;
    private bool _isDue;
    private bool _isWaiting;
    private bool _isDisposed;

    public PeriodicTimer(TimeSpan period, TimeProvider? time = null)
    {
        _period = period;
        _timer = Detached.Start(() => (time ?? TimeProvider.System).CreateTimer(static self => ((PeriodicTimer)self!).Tick(), this, period, period));
    }

    /// <summary>The time between two ticks. Setting it restarts the timer.</summary>
    public TimeSpan Period
    {
        get => _period;
        set
        {
            _period = value;
            if (!_timer.Change(value, value))
                throw new ObjectDisposedException(nameof(PeriodicTimer));
        }
    }

    /// <summary>Waits for the next tick. Only one wait at a time is allowed.</summary>
    /// <returns><c>false</c> if the timer was disposed; otherwise, <c>true</c>.</returns>
    public ValueTask<bool> WaitForNextTickAsync()
    {
        lock (_gate)
        {
            if (_isDisposed || _isDue)
            {
                _isDue = false;
                return new ValueTask<bool>(!_isDisposed);
            }

            _core.Reset();
            _isWaiting = true;
            return new ValueTask<bool>(this, _core.Version);
        }
    }

    public void Dispose()
    {
        _timer.Dispose();
        lock (_gate)
        {
            _isDisposed = true;
            if (!_isWaiting)
                return;
            _isWaiting = false;
        }

        _core.SetResult(false);
    }

    bool IValueTaskSource<bool>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Tick()
    {
        lock (_gate)
        {
            _isDue = !_isWaiting && !_isDisposed;
            if (!_isWaiting)
                return;
            _isWaiting = false;
        }

        _core.SetResult(true);
    }
}
