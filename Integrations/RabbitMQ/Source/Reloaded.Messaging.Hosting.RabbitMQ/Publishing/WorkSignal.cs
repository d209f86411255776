using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Wakes one waiting loop, on the thread pool. If it is set while no loop waits, the next wait completes immediately. Does not allocate.</summary>
internal sealed class WorkSignal : IValueTaskSource, IThreadPoolWorkItem
{
    private readonly object _gate = new();
    private ManualResetValueTaskSourceCore<bool> _core;
    private bool _isSet;
    private bool _isAwaited;

    /// <summary>Completes when the signal is set. Only one wait at a time is allowed.</summary>
    public ValueTask WaitAsync()
    {
        lock (_gate)
        {
            if (_isSet)
            {
                _isSet = false;
                return default;
            }

            _core.Reset();
            _isAwaited = true;
            return new ValueTask(this, _core.Version);
        }
    }

    public void Set()
    {
        lock (_gate)
        {
            if (!_isAwaited)
            {
                _isSet = true;
                return;
            }

            _isAwaited = false;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute() => _core.SetResult(true);

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
