using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a topic that a full queue refused, and when they are offered again. Under the queue's gate.</summary>
/// <remarks>
/// The refusal comes from one full queue; the other queues of the topic have the message, and each offer is a copy for them. So messages are
/// offered in rounds: one first, after each success more. A round without success doubles the wait for the next. Messages of the topic that
/// were never offered are held behind the refused ones, to keep the order, until the topic is stalled: then each is offered once at once.
/// </remarks>
internal sealed class RefusedMessages
{
    private const int MinBackOff = 100;
    private const int MaxBackOff = 5000;
    private const int MaxWindow = 256;

    /// <summary>After so many rounds without success the topic is stalled: some 0.7 s after the first refusal.</summary>
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

    /// <summary>Keeps a message that was not offered yet.</summary>
    public void Hold(in Outgoing message) => _held.Enqueue(message);

    /// <summary>Keeps a message that the broker refused.</summary>
    public void Refuse(Outgoing message)
    {
        _hasFailure |= message.IsReleased;
        TakeBack(message);
    }

    /// <summary>Keeps a message whose connection was lost before the broker answered.</summary>
    public void TakeBack(Outgoing message)
    {
        if (message.IsReleased)
            _released--;
        (message.IsRepeated, message.IsReleased) = (true, false); // another queue of the topic may have taken it
        _refused.Enqueue(message, message.Number);
    }

    /// <summary>A message that was offered again is confirmed, or is lost.</summary>
    public void Remove(bool isConfirmed)
    {
        _released--;
        _hasSuccess |= isConfirmed;
        _window = Math.Min(_window * 2, MaxWindow);
    }

    /// <summary>Ends a round that is over, and begins the next when it is due.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    /// <param name="hasStalled">Whether the topic stalled just now.</param>
    /// <returns>When to ask again; <see cref="long.MaxValue"/> if the broker's answer comes first.</returns>
    public long Advance(long now, out bool hasStalled)
    {
        hasStalled = false;
        if (_window > 0 && _hasFailure && _released == 0)
        {
            var wasStalled = IsStalled;
            (_backOff, _failedRounds) = _hasSuccess ? (MinBackOff, 0) : (Math.Min(_backOff * 2, MaxBackOff), _failedRounds + 1);
            (_window, _nextRound) = (0, -1);
            hasStalled = IsStalled && !wasStalled;
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

    /// <summary>Gives out the next message to offer in this round.</summary>
    public bool TryRelease(out Outgoing message)
    {
        message = default;
        if (_released >= _window || _hasFailure || !TryTake(out message))
            return false;
        message.IsReleased = true;
        _released++;
        return true;
    }

    /// <summary>Gives out the next message that was never offered.</summary>
    public bool TryTakeHeld(out Outgoing message) => _held.TryDequeue(out message);

    /// <summary>Gives out the next message.</summary>
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
