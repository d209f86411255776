using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Games;

/// <summary>Calls an update at a steady rate: what a host's peers have sent is handled before it, and what it sends is written behind it.</summary>
/// <remarks>
/// One wait and one hop to the thread pool for each tick, and nothing allocated. Ticks are due at multiples of the interval since the start, so that
/// lateness doesn't add up. Timers count whole milliseconds: a tick may begin up to one later than it is due.
/// </remarks>
public sealed class TickLoop : IAsyncDisposable
{
    private readonly TickUpdate _update;
    private readonly TickLoopOptions _options;
    private readonly PeriodicTimer _timer;
    private readonly TickFlush? _flush;
    private readonly TickClock _clock;
    private Task? _running;
    private bool _isStopping;
    private long _ticks;
    private long _overruns;
    private long _skipped;
    private long _failures;
    private long _last;
    private long _worst;

    /// <summary>Makes a loop that stands still until <see cref="Start"/>.</summary>
    /// <param name="update">What to call each tick. What it throws is counted and reported; the loop goes on.</param>
    /// <param name="options">How to tick.</param>
    public TickLoop(TickUpdate update, TickLoopOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(update);
        _update = update;
        _options = options ?? new TickLoopOptions();
        _clock = new TickClock(_options.TimeProvider, _options.Interval);
        _timer = new PeriodicTimer(_clock.UntilNext(), _options.TimeProvider);
        _flush = _options.Host is { } host ? new TickFlush(host) : null;
    }

    /// <summary>An update or a pump threw. On the loop's thread.</summary>
    public event Action<Exception>? Failed;

    /// <summary>Begins: the first tick is due an interval from now.</summary>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    public void Start()
    {
        lock (_options)
        {
            ObjectDisposedException.ThrowIf(_isStopping, this);
            if (_running is not null)
                throw new InvalidOperationException("The loop was started already. Make another one to tick twice.");
            _clock.Restart();
            _timer.Period = _clock.UntilNext();
            _running = RunAsync();
        }
    }

    /// <summary>Ends the loop: a tick that runs is the last one. Any number of times, from any thread.</summary>
    /// <returns>Completes when no update runs any more; don't block on it inside of one.</returns>
    public Task StopAsync()
    {
        lock (_options)
        {
            Volatile.Write(ref _isStopping, true);
            _timer.Dispose();
            return _running ?? Task.CompletedTask;
        }
    }

    /// <inheritdoc cref="StopAsync"/>
    public ValueTask DisposeAsync() => new(StopAsync());

    /// <summary>The counts and times so far. Any thread.</summary>
    public TickStatistics GetStatistics() => new(
        Volatile.Read(ref _ticks),
        Volatile.Read(ref _overruns),
        Volatile.Read(ref _skipped),
        Volatile.Read(ref _failures),
        TimeSpan.FromTicks(Volatile.Read(ref _last)),
        TimeSpan.FromTicks(Volatile.Read(ref _worst)));

    private async Task RunAsync()
    {
        while (await _timer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            var most = _options.WhenLate == TickOverrunMode.CatchUp ? _options.MaxCatchUp : 1;
            for (var left = most; left > 0 && !Volatile.Read(ref _isStopping); left--)
            {
                Volatile.Write(ref _skipped, _skipped + _clock.SkipTo(most));
                if (!_clock.TryTake(out var tick))
                    break;
                Run(in tick);
            }

            SetTimer();
        }
    }

    private void SetTimer()
    {
        lock (_options)
        {
            if (!_isStopping) // a disposed timer can't be set
                _timer.Period = _clock.UntilNext();
        }
    }

    private void Run(in Tick tick)
    {
        var start = _options.TimeProvider.GetTimestamp();
        _flush?.Cork();
        try
        {
            if (_options.Host is { Options.IsPumped: true } host)
                host.Pump(_options.PumpBudget);
        }
        catch (Exception e)
        {
            Report(e); // from an asynchronous handler's continuation; the world ticks all the same
        }

        try
        {
            _update(in tick);
        }
        catch (Exception e)
        {
            Report(e);
        }

        _flush?.Uncork();
        Count(_options.TimeProvider.GetElapsedTime(start));
    }

    private void Count(TimeSpan took)
    {
        Volatile.Write(ref _last, took.Ticks);
        if (took.Ticks > _worst)
            Volatile.Write(ref _worst, took.Ticks);
        if (took > _options.Interval)
            Volatile.Write(ref _overruns, _overruns + 1);
        Volatile.Write(ref _ticks, _ticks + 1);
    }

    private void Report(Exception exception)
    {
        Volatile.Write(ref _failures, _failures + 1);
        try
        {
            Failed?.Invoke(exception);
        }
        catch (Exception)
        {
            Volatile.Write(ref _failures, _failures + 1); // whoever listens to failures failed: there is nobody left to tell
        }
    }
}
