namespace Reloaded.Messaging.Tests.Support;

/// <summary>The clock of the system, whose members and timers check the held locks.</summary>
public sealed class CheckingTime(string name) : TimeProvider
{
    private long _advanced;

    public override long TimestampFrequency => Checked("TimestampFrequency", base.TimestampFrequency);

    public override long GetTimestamp() => Checked("GetTimestamp", base.GetTimestamp() + Volatile.Read(ref _advanced));

    public override DateTimeOffset GetUtcNow() => Checked("GetUtcNow", base.GetUtcNow());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new Timer(this, Checked("CreateTimer", base.CreateTimer(callback, state, dueTime, period)));

    /// <summary>Advances the timestamps, and not the timers.</summary>
    public void Advance(TimeSpan by) => Interlocked.Add(ref _advanced, (long)(by.TotalSeconds * base.TimestampFrequency));

    private T Checked<T>(string member, T value)
    {
        HeldLocks.Check($"{name}: {member}");
        return value;
    }

    private sealed class Timer(CheckingTime time, ITimer inner) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => time.Checked("Change", inner.Change(dueTime, period));

        public void Dispose() => time.Checked("Dispose", inner).Dispose();

        public ValueTask DisposeAsync() => time.Checked("Dispose", inner).DisposeAsync();
    }
}
