using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Messages that the broker refuses: temporarily, because a queue is full, or permanently, by closing the channel.</content>
internal sealed partial class PublishQueue
{
    private readonly List<TopicState> _refusedTopics = [];
    private readonly List<TopicState> _forbiddenTopics = [];
    private readonly Queue<PublishNotice> _notices = new();

    /// <summary>The number of messages at the front of the ring that may have closed the channel. They are sent one at a time.</summary>
    private int _suspects;

    private bool _isSuspectOut;

    /// <summary>Whether the publications wait for another channel.</summary>
    private bool _wantsChannel;

    /// <summary>The number of messages that the broker refused because a queue was full.</summary>
    public long Rejected { get; private set; }

    /// <summary>The number of messages that the broker refused permanently.</summary>
    public long Refused { get; private set; }

    /// <summary>The number of topics whose messages a full queue has refused for several rounds.</summary>
    public int Stalled
    {
        get
        {
            lock (_gate)
            {
                var stalled = 0;
                foreach (var topic in _refusedTopics)
                    stalled += topic.Refused!.IsStalled ? 1 : 0;
                return stalled;
            }
        }
    }

    /// <summary>
    /// Records that the broker closed the channel because of a publication. The unconfirmed messages are suspects and are sent one at a time. The
    /// message that closes the channel again is dropped.
    /// </summary>
    /// <param name="reason">The broker's reason.</param>
    /// <param name="isTopic">Whether the reason applies to all messages of the topic.</param>
    public void Interrupt(string reason, bool isTopic)
    {
        lock (_gate)
        {
            if (_isSuspectOut && _unconfirmed.TryRemoveLast(out var guilty))
            {
                for (var index = 0; index < guilty.Count; index++)
                {
                    var message = guilty.Get(index);
                    PutAside(in message, reason);
                    if (isTopic && message.Topic is { Refusal: null } topic)
                    {
                        topic.Refusal = reason;
                        _forbiddenTopics.Add(topic);
                    }
                }

                guilty.Free();
            }

            _suspects += SendAgain();
        }
    }

    /// <summary>Returns whether the caller must replace the channel, because a stalled topic was refused again. Every publication of the channel is confirmed.</summary>
    /// <remarks>
    /// A channel that first publishes to a quorum queue just after the leader's node has died asks that node, and refuses every message until the node is
    /// back (seen with RabbitMQ 3.10). Another channel asks the new leader.
    /// </remarks>
    public bool TryEndChannel()
    {
        lock (_gate)
        {
            if (!_wantsChannel || _unconfirmed.Count > 0)
                return false;
            _unconfirmed.Restart();
            _wantsChannel = false;
            return true;
        }
    }

    /// <summary>Offers refused messages again if they are due.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    /// <returns>The time of the next call; <see cref="long.MaxValue"/> for after the next reply of the broker.</returns>
    public long Retry(long now)
    {
        lock (_gate)
        {
            var next = long.MaxValue;
            for (var index = _refusedTopics.Count - 1; index >= 0; index--)
            {
                var topic = _refusedTopics[index];
                var refused = topic.Refused!;
                if (refused.IsOver)
                {
                    topic.Refused = null;
                    _refusedTopics.RemoveAt(index);
                    _room.WakeAfterRefused(); // the topic shares the room of all topics again
                    continue;
                }

                var wasStalled = refused.IsStalled;
                next = Math.Min(next, refused.Advance(now, out var hasFailed));
                _wantsChannel |= hasFailed;
                if (hasFailed && !wasStalled)
                    _notices.Enqueue(new PublishNotice(topic.Key, 0, refused.Count, null));
                while (refused.IsStalled && refused.TryTakeHeld(out var held))
                    Offer(in held);
                while (refused.TryRelease(out var again))
                    Offer(in again);
            }

            return next;
        }
    }

    /// <summary>Returns the next event for the application.</summary>
    public bool TryTakeNotice(out PublishNotice notice)
    {
        lock (_gate)
            return _notices.TryDequeue(out notice);
    }

    /// <summary>Raises the events for the application.</summary>
    public void ReportNotices(HostReports reports)
    {
        while (TryTakeNotice(out var notice))
        {
            var (topic, number, waiting, reason) = notice;
            if (reason is null)
                reports.ReportStalled(new StalledTopic(topic, waiting));
            else
                reports.ReportRefused(new RefusedPublication(topic, number, reason));
        }
    }

    private void Refuse(in Flight flight)
    {
        Rejected += flight.Count;
        for (var index = 0; index < flight.Count; index++)
        {
            var message = flight.Get(index);
            var topic = message.Topic!;
            if (topic.Refused is null)
            {
                topic.Refused = new RefusedMessages();
                _refusedTopics.Add(topic);
            }

            _room.Refuse(message.Size);
            topic.Refused.Refuse(message);
        }

        flight.Free();
        _room.WakeIfRoom();
    }

    private void Offer(in Outgoing message)
    {
        _room.Add(message.Size);
        _room.RemoveRefused(message.Size);
        _ring.AddLast() = message;
    }

    private void PutAside(in Outgoing message, string reason)
    {
        Refused++;
        _room.Remove(message.Size);
        if (message.IsReleased)
            message.Topic!.Refused!.Remove(isConfirmed: false);
        var refusal = new RefusedPublication(message.Key, message.Number, reason);
        _notices.Enqueue(new PublishNotice(message.Key, message.Number, 0, reason));
        _flushes.Fail(message.Epoch!, new PublicationRefusedException(refusal));
        EndMessage(in message, isConfirmed: false);
        _room.WakeIfRoom();
    }

    private void DropRefused()
    {
        foreach (var topic in _refusedTopics)
        {
            while (topic.Refused!.TryTake(out var message))
            {
                _room.RemoveRefused(message.Size);
                Dropped++;
                EndMessage(in message, isConfirmed: false);
            }
        }
    }

    /// <summary>Forgets refusals of whole topics, because a new connection may have other permissions.</summary>
    private void AllowTopics()
    {
        foreach (var topic in _forbiddenTopics)
            topic.Refusal = null;
        _forbiddenTopics.Clear();
    }
}

/// <summary>An event that a queue reports to the application.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Number">The number of the message that was refused.</param>
/// <param name="Waiting">The number of messages that wait, if the topic stalled.</param>
/// <param name="Reason">The broker's reason, if a message was refused; otherwise, <see langword="null"/>.</param>
internal readonly record struct PublishNotice(string Topic, ulong Number, int Waiting, string? Reason);
