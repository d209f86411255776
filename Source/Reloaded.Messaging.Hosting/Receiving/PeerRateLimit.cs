using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Measures the rates of a peer's messages, and the time since its last event or request. Reads the clock once for each received block, and never if no limit is set.</summary>
internal sealed class PeerRateLimit
{
    private readonly TimeProvider _time;
    private readonly bool _isMeasured;
    private TokenBucket _messages;
    private TokenBucket _bytes;
    private long _now;
    private long _lastMessage;

    public PeerRateLimit(MessageHostOptions options)
    {
        var limits = options.Limits;
        _time = options.TimeProvider;
        _isMeasured = limits.MessagesPerSecond is not null || limits.BytesPerSecond is not null || options.IdleTimeout is not null;
        _messages = new TokenBucket(limits.MessagesPerSecond, limits.Burst);
        _bytes = new TokenBucket(limits.BytesPerSecond, limits.Burst);
        _now = _lastMessage = _time.GetTimestamp();
    }

    /// <summary>The time since the peer's last event or request. Thread-safe.</summary>
    public TimeSpan Idle => _time.GetElapsedTime(Volatile.Read(ref _lastMessage));

    public void NoteBlock()
    {
        if (!_isMeasured)
            return;
        var before = _now;
        _now = _time.GetTimestamp();
        var passed = _time.GetElapsedTime(before, _now);
        _messages.Fill(passed);
        _bytes.Fill(passed);
    }

    public void NoteMessage()
    {
        if (_isMeasured)
            Volatile.Write(ref _lastMessage, _now);
    }

    /// <summary>Counts a message towards the rates.</summary>
    /// <returns>The rate that the message exceeds; <c>null</c> if it exceeds no rate.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DisconnectReason? Exceeds(int size) => _isMeasured ? ExceedsMeasured(size) : null;

    private DisconnectReason? ExceedsMeasured(int size)
    {
        if (!_messages.TryTake(1))
            return DisconnectReason.TooManyMessages;
        return _bytes.TryTake(size) ? null : DisconnectReason.TooManyBytes;
    }
}
