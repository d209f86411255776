namespace Reloaded.Messaging.Tests.Terminals;

/// <summary>A clock that goes on by a step at each reading.</summary>
internal sealed class StepClock(TimeSpan step) : TimeProvider
{
    private long _time;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _time += step.Ticks;
}
