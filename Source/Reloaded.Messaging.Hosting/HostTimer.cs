using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Ticks all hosts of the process about every 50 ms. It runs while it has a host.</summary>
/// <remarks>
/// One timer for all hosts wakes one thread for each tick. With a timer for each host, a process with 10,000 clients would queue 200,000 work items a second.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The timer runs while it has a host, and is disposed when the last host is removed.")]
internal sealed class HostTimer
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(50);

    private readonly object _gate = new();
    private readonly HashSet<Action<long>> _ticks = [];
    private Action<long>[]? _snapshot; // null after a change
    private PeriodicTimer? _timer;

    /// <summary>The timer of this process.</summary>
    public static HostTimer Shared { get; } = new();

    /// <summary>Whether the timer has a host.</summary>
    public bool IsRunning
    {
        get
        {
            lock (_gate)
                return _timer is not null;
        }
    }

    /// <summary>Adds a host. The first one starts the timer.</summary>
    /// <param name="tick">The periodic work of the host. It receives the time in <c>Environment.TickCount64</c>. It must not throw, and must return soon, because it delays the other hosts.</param>
    public void Add(Action<long> tick)
    {
        lock (_gate)
        {
            _ticks.Add(tick);
            _snapshot = null;
            if (_timer is not null)
                return;
            _timer = new PeriodicTimer(s_period);
            ThreadPool.UnsafeQueueUserWorkItem(Run, _timer); // without the AsyncLocal values of the caller
        }
    }

    /// <summary>Removes a host. A tick of it that is running may outlast the call. Removing the last one stops the timer, and nothing keeps the hosts alive.</summary>
    public void Remove(Action<long> tick)
    {
        lock (_gate)
        {
            _ticks.Remove(tick);
            _snapshot = null;
            if (_ticks.Count > 0)
                return;
            _timer?.Dispose();
            _timer = null;
        }
    }

    private void Run(object? timer) => _ = RunAsync((PeriodicTimer)timer!);

    private async Task RunAsync(PeriodicTimer timer)
    {
        while (await timer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            foreach (var tick in GetTicks(timer))
                tick(Environment.TickCount64);
        }
    }

    /// <summary>Returns the work of a timer: none if the timer was stopped, because a later timer then has the hosts.</summary>
    private Action<long>[] GetTicks(PeriodicTimer timer)
    {
        lock (_gate)
            return _timer == timer ? _snapshot ??= [.. _ticks] : [];
    }
}
