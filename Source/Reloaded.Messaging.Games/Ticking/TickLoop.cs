using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Games;

/// <summary>Calls an update at a steady rate. Each tick handles the received messages, calls the update, and then writes the sent messages.</summary>
/// <remarks>
/// A tick waits once, switches once to the thread pool, and allocates nothing. Ticks are due at multiples of the interval since the start, so that
/// delays do not accumulate. Timers count whole milliseconds: a tick may start up to 1 ms late.
/// </remarks>
/// <example><code>
/// var options = new MessageHostOptions { IsPumped = true }; // handlers run inside the tick
/// await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(9050), options: options);
/// await using var loop = new TickLoop(Update, new TickLoopOptions { Interval = TimeSpan.FromMilliseconds(50), Host = server });
/// loop.Start();
/// Console.ReadLine();
///
/// void Update(in Tick tick) =&gt; server.Broadcast(new Clock(tick.Number));
///
/// [Message(2)] public readonly record struct Clock(long Tick);
/// </code></example>
public sealed class TickLoop : IAsyncDisposable
{
    private readonly TickUpdate _update;
    private readonly TickLoopOptions _options;
    private readonly PeriodicTimer _timer;
    private readonly TickFlush? _flush;
    private readonly TickClock _clock;
    private readonly FailureReporter<Exception> _failures = new(static exception => UnheardFailure.Write(exception, "tick loop", "TickLoop.Failed"));
    private readonly TaskCompletionSource<bool> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _isStarted;
    private bool _isStopping;
    private long _ticks;
    private long _overruns;
    private long _skipped;
    private long _last;
    private long _worst;

    /// <summary>Creates a loop that does not run until <see cref="Start"/> is called.</summary>
    /// <param name="update">The update to call on each tick. Its exceptions are counted and reported; the loop continues.</param>
    /// <param name="options">The options of the loop.</param>
    public TickLoop(TickUpdate update, TickLoopOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(update);
        _update = update;
        _options = options ?? new TickLoopOptions();
        _clock = new TickClock(_options.TimeProvider, _options.Interval);
        _timer = new PeriodicTimer(_clock.UntilNext(), _options.TimeProvider);
        _flush = _options.Host is { } host ? new TickFlush(host) : null;
    }

    /// <summary>Raised on the loop's thread when an update or a pump threw an exception.</summary>
    /// <remarks>While the event has no subscriber, the first exception of the loop is written to the standard error.</remarks>
    public event Action<Exception>? Failed
    {
        add => _failures.Failed += value;
        remove => _failures.Failed -= value;
    }

    /// <summary>Starts the loop. The first tick is due one interval from now.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the loop was started before.</exception>
    public void Start()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isStopping), this);
        if (Interlocked.Exchange(ref _isStarted, 1) != 0)
            throw new InvalidOperationException("The loop was started before. Create another loop for another run.");
        _clock.Restart();
        SetTimer();
        _ = Detached.Start(RunAsync); // on this thread, so that the loop waits for its first tick when the call returns
    }

    /// <summary>Stops the loop. A running tick is the last one. May be called any number of times, from any thread.</summary>
    /// <returns>A task that completes when no update is running. Do not block on it inside an update.</returns>
    public Task StopAsync()
    {
        Volatile.Write(ref _isStopping, true);
        _timer.Dispose();
        return Volatile.Read(ref _isStarted) != 0 ? _ended.Task : Task.CompletedTask;
    }

    /// <inheritdoc cref="StopAsync"/>
    public ValueTask DisposeAsync() => new(StopAsync());

    /// <summary>Gets the counts and times so far. Thread-safe.</summary>
    public TickStatistics GetStatistics() => new(
        Volatile.Read(ref _ticks),
        Volatile.Read(ref _overruns),
        Volatile.Read(ref _skipped),
        _failures.Count,
        TimeSpan.FromTicks(Volatile.Read(ref _last)),
        TimeSpan.FromTicks(Volatile.Read(ref _worst)));

    private async Task RunAsync()
    {
        try
        {
            await TickAsync().ConfigureAwait(false);
            _ended.SetResult(true);
        }
        catch (Exception e)
        {
            _ended.SetException(e); // from the time provider of the program
        }
    }

    private async Task TickAsync()
    {
        while (await _timer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            if (!Volatile.Read(ref _isStopping))
            {
                Volatile.Write(ref _skipped, _skipped + _clock.SkipToNewest());
                if (_clock.TryTake(out var tick))
                    Run(in tick);
            }

            SetTimer();
        }
    }

    private void SetTimer()
    {
        try
        {
            _timer.Period = _clock.UntilNext();
        }
        catch (ObjectDisposedException)
        {
            // The loop was stopped meanwhile, which ends the wait for the next tick.
        }
    }

    private void Run(in Tick tick)
    {
        var start = _options.TimeProvider.GetTimestamp();
        _flush?.Cork();
        try
        {
            if (_options.Host is { Options.IsPumped: true } host)
                host.Pump();
        }
        catch (Exception e)
        {
            _failures.Report(e); // from the continuation of an asynchronous handler; the loop continues
        }

        try
        {
            _update(in tick);
        }
        catch (Exception e)
        {
            _failures.Report(e);
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
}

/// <summary>Advances a world by one tick. Called on the thread pool, one call at a time.</summary>
public delegate void TickUpdate(in Tick tick);

/// <summary>The counts of a loop since its start. Each value is exact; the values together are from about the same moment.</summary>
/// <param name="Ticks">The number of ticks that ran.</param>
/// <param name="Overruns">The number of ticks that took longer than the interval, including pump and flush.</param>
/// <param name="Skipped">The number of ticks that were skipped.</param>
/// <param name="Failures">The number of exceptions of updates, pumps and listeners.</param>
/// <param name="Last">The duration of the last tick.</param>
/// <param name="Worst">The duration of the longest tick.</param>
public readonly record struct TickStatistics(long Ticks, long Overruns, long Skipped, long Failures, TimeSpan Last, TimeSpan Worst);

/// <summary>Holds the messages of a tick in the outboxes and writes them at the end of the tick, with one write per peer.</summary>
internal sealed class TickFlush(MessageHost host)
{
    private Peer[] _corked = [];
    private int _count;

    public void Cork()
    {
        foreach (var peer in host.AllPeers)
        {
            if (_count == _corked.Length)
                Array.Resize(ref _corked, Math.Max(16, 2 * _count));
            peer.Cork();
            _corked[_count++] = peer;
        }
    }

    /// <summary>Writes on this thread as many bytes as the channels accept at once.</summary>
    public void Uncork()
    {
        for (var i = 0; i < _count; i++)
            _corked[i].Uncork();
        Array.Clear(_corked, 0, _count);
        _count = 0;
    }
}
