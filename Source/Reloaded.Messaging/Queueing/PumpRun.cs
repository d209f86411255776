using System.ComponentModel;
using System.Diagnostics;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Holds one pump to its budget and counts what the pump did. For queues of other kinds than <see cref="MessageQueue{TSender}"/>.</summary>
/// <remarks>A mutable struct: keep it in a local variable. Not thread-safe.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct PumpRun
{
    private readonly int _most;
    private readonly int _queued;
    private readonly long _end;
    private int _seen;
    private int _pumped;
    private int _handled;

    /// <summary>Begins a pump; the time of its budget starts to run.</summary>
    /// <param name="budget">The limits of the pump.</param>
    /// <param name="queued">The number of messages that are queued now. The pump takes no more than these.</param>
    public PumpRun(PumpBudget budget, int queued)
    {
        _most = budget.MaxMessages;
        _queued = queued;
        _end = budget.MaxTicks == long.MaxValue ? long.MaxValue : Stopwatch.GetTimestamp() + budget.MaxTicks;
    }

    /// <summary>Whether the pump may take a further message.</summary>
    public readonly bool GoesOn => _seen < _queued && _pumped < _most && (_pumped == 0 || _end == long.MaxValue || Stopwatch.GetTimestamp() < _end);

    /// <summary>Counts a message that was taken from the queue or passed over.</summary>
    public void See() => _seen++;

    /// <summary>Counts a message that was dispatched.</summary>
    public void Count(DispatchStatus status)
    {
        _pumped++;
        if (status <= DispatchStatus.HandledByFallback)
            _handled++;
    }

    /// <summary>Returns what the pump did.</summary>
    /// <param name="remaining">The number of messages that are queued now.</param>
    public readonly PumpResult Result(int remaining) => new(_pumped, _handled, remaining);
}
