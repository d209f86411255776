namespace Worker;

/// <summary>The seats of the lobby. Thread-safe.</summary>
public sealed class Seats
{
    private int _last;

    public int Next() => Interlocked.Increment(ref _last);
}
