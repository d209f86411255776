using System;
using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>One pump's accounts: how far it may go, and what it did.</summary>
internal struct PumpRun
{
    private readonly int _most;
    private readonly int _queued;
    private readonly long _end;
    private int _seen;
    private int _pumped;
    private int _handled;

    public PumpRun(PumpBudget budget, int queued)
    {
        _most = budget.MaxMessages;
        _queued = queued;
        _end = budget.MaxTicks == long.MaxValue ? long.MaxValue : Stopwatch.GetTimestamp() + budget.MaxTicks;
    }

    public readonly bool GoesOn => _seen < _queued && _pumped < _most && (_pumped == 0 || _end == long.MaxValue || Stopwatch.GetTimestamp() < _end);

    /// <summary>Notes a message that was come to, and taken or left.</summary>
    public void See() => _seen++;

    public void Count(DispatchStatus status)
    {
        _pumped++;
        if (status <= DispatchStatus.HandledByFallback)
            _handled++;
    }

    public readonly PumpResult Result(int remaining) => new(_pumped, _handled, remaining);
}
