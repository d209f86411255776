namespace Reloaded.Messaging.Hosting;

/// <summary>The progress of the login of a connection, while it is <see cref="ConnectionState.Authenticating"/>. Thread-safe.</summary>
internal sealed class LoginProgress
{
    private const int Awaited = 0;
    private const int Received = 1;
    private const int Checking = 2;

    private int _stage;
    private long _since = long.MaxValue;

    /// <summary>Whether the credentials have arrived.</summary>
    public bool HasCredentials => Volatile.Read(ref _stage) != Awaited;

    /// <summary>Starts the time limit of the login.</summary>
    public void Begin(TimeProvider time) => Volatile.Write(ref _since, time.GetTimestamp());

    /// <summary>Accepts the message with the credentials.</summary>
    /// <returns><c>true</c> for the first message; otherwise, <c>false</c>.</returns>
    public bool TryReceive() => Interlocked.CompareExchange(ref _stage, Received, Awaited) == Awaited;

    /// <summary>Begins to check the credentials.</summary>
    /// <returns><c>true</c> for the accepted message; otherwise, <c>false</c>.</returns>
    public bool TryCheck() => Interlocked.CompareExchange(ref _stage, Checking, Received) == Received;

    /// <summary>Whether the login takes longer than a limit.</summary>
    public bool IsOverdue(TimeProvider time, TimeSpan limit) => Volatile.Read(ref _since) is var since and not long.MaxValue && time.GetElapsedTime(since) > limit;
}
