using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Wakes the one loop that waits for it, on the thread pool. Set while nobody waits, it lets the next wait through. Allocates nothing.</summary>
internal sealed class WorkSignal : IValueTaskSource, IThreadPoolWorkItem
{
    private readonly object _gate = new();
    private ManualResetValueTaskSourceCore<bool> _core;
    private bool _isSet;
    private bool _isAwaited;

    /// <summary>Completes when it is set. One wait at a time.</summary>
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
