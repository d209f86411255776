using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a topic that a full queue refused, and the time at which they are offered again. Used under the lock of the queue.</summary>
/// <remarks>
/// One full queue causes the refusal. The other queues of the topic have the message, and each offer is a duplicate for them. For this reason,
/// messages are offered in rounds: first one message, then more after each success. A round without success doubles the delay before the next.
/// New messages of the topic wait after the refused ones, to keep the order, until the topic is stalled. Then each is offered once, immediately.
/// </remarks>
internal sealed class RefusedMessages
{
    private const int MinBackOff = 100;
    private const int MaxBackOff = 5000;
    private const int MaxWindow = 256;

    /// <summary>The number of rounds without success after which the topic is stalled (about 0.7 s after the first refusal).</summary>
    private const int StalledAfter = 3;

    private readonly PriorityQueue<Outgoing, ulong> _refused = new();
    private readonly Queue<Outgoing> _held = new();
    private int _backOff = MinBackOff;
    private long _nextRound = -1;
    private int _failedRounds;
    private int _window;
    private int _released;
    private bool _hasSuccess;
    private bool _hasFailure;

    /// <summary>Whether several rounds had no success.</summary>
    public bool IsStalled => _failedRounds >= StalledAfter;

    /// <summary>The number of messages that wait here.</summary>
    public int Count => _refused.Count + _held.Count;

    /// <summary>Whether no message waits here or is being offered again.</summary>
    public bool IsOver => Count == 0 && _released == 0;

    /// <summary>Adds a message that was not yet offered.</summary>
    public void Hold(in Outgoing message) => _held.Enqueue(message);

    /// <summary>Adds a message that the broker refused.</summary>
    public void Refuse(Outgoing message)
    {
        _hasFailure |= message.IsReleased;
        TakeBack(message);
    }

    /// <summary>Adds a message whose connection was lost before the broker replied.</summary>
    public void TakeBack(Outgoing message)
    {
        if (message.IsReleased)
            _released--;
        (message.IsRepeated, message.IsReleased) = (true, false); // another queue of the topic may have accepted the message
        _refused.Enqueue(message, message.Number);
    }

    /// <summary>Records that a message that was offered again is confirmed or lost.</summary>
    public void Remove(bool isConfirmed)
    {
        _released--;
        _hasSuccess |= isConfirmed;
        _window = Math.Min(_window * 2, MaxWindow);
    }

    /// <summary>Ends a completed round, and begins the next round when it is due.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    /// <param name="hasFailed">Whether the topic stalled in this call, or was stalled and was refused again.</param>
    /// <returns>The time of the next call; <see cref="long.MaxValue"/> if the broker replies first.</returns>
    public long Advance(long now, out bool hasFailed)
    {
        hasFailed = false;
        if (_window > 0 && _hasFailure && _released == 0)
        {
            (_backOff, _failedRounds) = _hasSuccess ? (MinBackOff, 0) : (Math.Min(_backOff * 2, MaxBackOff), _failedRounds + 1);
            (_window, _nextRound) = (0, -1);
            hasFailed = IsStalled;
        }

        if (_window > 0)
            return long.MaxValue;
        if (_nextRound < 0)
            _nextRound = now + _backOff;
        if (now < _nextRound)
            return _nextRound;
        (_window, _hasSuccess, _hasFailure) = (1, false, false);
        return long.MaxValue;
    }

    /// <summary>Returns the next message to offer in this round.</summary>
    public bool TryRelease(out Outgoing message)
    {
        message = default;
        if (_released >= _window || _hasFailure || !TryTake(out message))
            return false;
        message.IsReleased = true;
        _released++;
        return true;
    }

    /// <summary>Returns the next message that was never offered.</summary>
    public bool TryTakeHeld(out Outgoing message) => _held.TryDequeue(out message);

    /// <summary>Returns the next message.</summary>
    public bool TryTake(out Outgoing message) => _refused.TryDequeue(out message, out _) || _held.TryDequeue(out message);

    /// <summary>Replaces every message that waits here.</summary>
    public void Replace(Func<Outgoing, Outgoing> replace)
    {
        var refused = _refused.Count;
        var all = new List<Outgoing>(Count);
        while (TryTake(out var message))
            all.Add(replace(message));
        for (var index = 0; index < all.Count; index++)
        {
            if (index < refused)
                _refused.Enqueue(all[index], all[index].Number);
            else
                _held.Enqueue(all[index]);
        }
    }
}
