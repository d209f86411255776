namespace Reloaded.Messaging.Hosting;

/// <summary>Measures the rates of a peer's messages, and the time since its last event or request. Reads the clock once for each received block.</summary>
internal sealed class PeerRateLimit
{
    private readonly TimeProvider _time;
    private TokenBucket _messages;
    private TokenBucket _bytes;
    private long _now;
    private long _lastMessage;

    private PeerRateLimit(MessageHostOptions options)
    {
        var limits = options.Limits;
        _time = options.TimeProvider;
        _messages = new TokenBucket(limits.MessagesPerSecond, limits.Burst);
        _bytes = new TokenBucket(limits.BytesPerSecond, limits.Burst);
        _now = _lastMessage = _time.GetTimestamp();
    }

    /// <summary>Creates the limit of a peer.</summary>
    /// <returns>The limit, or <c>null</c> if the host limits neither the rates nor the time without a message.</returns>
    public static PeerRateLimit? TryCreate(MessageHostOptions options)
    {
        var limits = options.Limits;
        var isMeasured = limits.MessagesPerSecond is not null || limits.BytesPerSecond is not null || options.IdleTimeout is not null;
        return isMeasured ? new PeerRateLimit(options) : null;
    }

    /// <summary>The time since the peer's last event or request, or since work for it was in progress. Thread-safe.</summary>
    public TimeSpan Idle => _time.GetElapsedTime(Volatile.Read(ref _lastMessage));

    public void NoteBlock()
    {
        var before = _now;
        _now = _time.GetTimestamp();
        var passed = _time.GetElapsedTime(before, _now);
        _messages.Fill(passed);
        _bytes.Fill(passed);
    }

    /// <summary>Notes that work for the peer is in progress, so that its idle time begins later. Thread-safe.</summary>
    public void NoteWork() => Volatile.Write(ref _lastMessage, _time.GetTimestamp());

    /// <summary>Notes a message of the last block. The block may be older than work that was in progress since.</summary>
    public void NoteMessage() => Volatile.Write(ref _lastMessage, Math.Max(_now, Volatile.Read(ref _lastMessage)));

    /// <summary>Counts a message towards the rates.</summary>
    /// <returns>The rate that the message exceeds; <c>null</c> if it exceeds no rate.</returns>
    public DisconnectReason? Exceeds(int size)
    {
        if (!_messages.TryTake(1))
            return DisconnectReason.TooManyMessages;
        return _bytes.TryTake(size) ? null : DisconnectReason.TooManyBytes;
    }
}
