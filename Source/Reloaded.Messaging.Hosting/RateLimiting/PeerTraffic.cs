using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>How much comes from a peer, and how long nothing has: looked at by the clock once for each block that is received, and not at all where nothing limits it.</summary>
internal sealed class PeerTraffic
{
    private readonly TimeProvider _time;
    private readonly bool _isMeasured;
    private TokenBucket _messages;
    private TokenBucket _bytes;
    private long _now;
    private long _lastMessage;

    public PeerTraffic(MessageHostOptions options)
    {
        var limits = options.Limits;
        _time = options.TimeProvider;
        _isMeasured = limits.MessagesPerSecond is not null || limits.BytesPerSecond is not null || options.IdleTimeout is not null;
        _messages = new TokenBucket(limits.MessagesPerSecond, limits.Burst);
        _bytes = new TokenBucket(limits.BytesPerSecond, limits.Burst);
        _now = _lastMessage = _time.GetTimestamp();
    }

    /// <summary>How long it has sent no event and no request. Any thread.</summary>
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

    /// <summary>Takes a message into account.</summary>
    /// <returns>Which rate it exceeds; null if it is within both.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DisconnectReason? Exceeds(int size) => _isMeasured ? ExceedsMeasured(size) : null;

    private DisconnectReason? ExceedsMeasured(int size)
    {
        if (!_messages.TryTake(1))
            return DisconnectReason.TooManyMessages;
        return _bytes.TryTake(size) ? null : DisconnectReason.TooManyBytes;
    }
}
