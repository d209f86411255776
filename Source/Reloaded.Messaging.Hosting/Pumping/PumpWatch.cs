using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Detects that messages wait and the program does not call <see cref="MessageHost.Pump"/>. Reports each such period once.</summary>
/// <param name="getWaiting">Returns the number of queued messages.</param>
/// <param name="longest">The maximum time without a call.</param>
/// <param name="stalled">Called on the thread that calls the check.</param>
internal sealed class PumpWatch(Func<int> getWaiting, TimeSpan longest, Action<PumpStall> stalled)
{
    private int _pumps;
    private int _seenPumps;
    private long _since;
    private volatile bool _isReported;
    private long _stalls;

    /// <summary>The number of detected periods.</summary>
    public long Stalls => Volatile.Read(ref _stalls);

    /// <summary>Whether the last check found that messages wait for too long.</summary>
    public bool IsStalled => _isReported;

    /// <summary>Notes that <see cref="MessageHost.Pump"/> was called or returns.</summary>
    public void NotePump() => Volatile.Write(ref _pumps, _pumps + 1);

    /// <param name="now">The time, by the host's clock.</param>
    public void Check(long now)
    {
        var (pumps, waiting) = (Volatile.Read(ref _pumps), getWaiting());
        var isPumping = pumps % 2 != 0;
        if (pumps != _seenPumps || isPumping || waiting == 0)
        {
            (_seenPumps, _since, _isReported) = (pumps, now, false);
            return;
        }

        var waited = TimeSpan.FromMilliseconds(now - _since);
        if (_isReported || waited < longest)
            return;
        _isReported = true;
        Interlocked.Increment(ref _stalls);
        stalled(new PumpStall(waiting, waited));
    }
}
