namespace Reloaded.Messaging;

/// <summary>A timer by the clock of a transport. It fires once after each <see cref="Set"/>, and the first one creates it. Thread-safe.</summary>
/// <remarks>The clock may be code of the program, so no lock may be held while a member is called.</remarks>
/// <param name="time">The clock.</param>
/// <param name="fire">Called on a thread of the clock.</param>
/// <param name="failed">Receives an exception of <paramref name="fire"/>, because an exception on a timer thread would end the process.</param>
internal sealed class OneShotTimer(TimeProvider time, Action fire, Action<Exception> failed)
{
    private ITimer? _timer;
    private volatile bool _isStopped;

    /// <summary>Lets the timer fire after a delay, instead of an earlier call. Does nothing after <see cref="Stop"/>.</summary>
    public void Set(TimeSpan delay)
    {
        if (!_isStopped)
            (Volatile.Read(ref _timer) ?? Create()).Change(delay, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Lets the timer fire no more. A call that runs may end later.</summary>
    public void Stop()
    {
        _isStopped = true;
        Interlocked.MemoryBarrier(); // either this thread sees a new timer, or its creator sees the flag
        Volatile.Read(ref _timer)?.Dispose();
    }

    private ITimer Create()
    {
        var created = Detached.Start(() => time.CreateTimer(static self => ((OneShotTimer)self!).Fire(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        var kept = Interlocked.CompareExchange(ref _timer, created, null) ?? created;
        if (kept != created || _isStopped)
            created.Dispose();
        return kept;
    }

    private void Fire()
    {
        try
        {
            fire();
        }
        catch (Exception e)
        {
            failed(e);
        }
    }
}
