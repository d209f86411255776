using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>The ends of channels: the broker closes a channel, or does not confirm the messages over it.</content>
internal sealed partial class PublishQueue
{
    /// <summary>The time without a confirmation after which the queue leaves a channel for which other topics wait, in milliseconds.</summary>
    private const long Patience = 500;

    /// <summary>
    /// Records that the broker closed the channel because of a publication. The unconfirmed messages are suspects and are sent one at a time. The
    /// message that closes the channel again is dropped.
    /// </summary>
    /// <param name="channel">The publications of the channel.</param>
    /// <param name="reason">The broker's reason.</param>
    /// <param name="isTopic">Whether the reason applies to all messages of the topic.</param>
    public void Interrupt(UnconfirmedFlights channel, string reason, bool isTopic)
    {
        lock (_gate)
        {
            if (channel == _pending.Flights && _refusals.IsSuspectOut && _pending.Flights.TryRemoveLast(out var guilty))
            {
                foreach (ref readonly var message in guilty.Messages)
                {
                    Drop(in message, reason);
                    if (isTopic && message.Topic is { } topic)
                        _refusals.Forbid(topic, reason);
                }

                guilty.Free();
            }

            _refusals.Suspect(SendAgain(channel, areSuspects: true));
        }

        _work.Set();
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
            if (_pending.Flights.Count > 0 || !_refusals.TryEndChannel())
                return false;
            _pending.StartChannel();
            return true;
        }
    }

    /// <summary>
    /// Returns whether the caller must continue over another channel, because the broker does not confirm the messages over this one, and other topics wait. The caller
    /// keeps the channel open until <see cref="Confirm"/> reports its end.
    /// </summary>
    /// <param name="now">The time, in milliseconds.</param>
    public bool TryLeaveChannel(long now)
    {
        lock (_gate)
        {
            if (!IsHeldUp(now))
                return false;
            _earlier.Add(_pending.Flights, _pending.Room, now);
            _pending.StartChannel();
            _refusals.EndSuspect();
            _refusals.TryEndChannel(); // the next channel is another one
            _waitForRoom = default;
            _pending.Room.WakeIfRoom();
            return true;
        }
    }

    /// <summary>Wakes the publishing loop if it must leave the channel, or must report a topic whose messages are not confirmed.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    public void CheckSilence(long now)
    {
        bool isChanged;
        lock (_gate)
        {
            isChanged = IsHeldUp(now);
            while (_earlier.TakeStalled(now) is { } stalled)
            {
                _refusals.NoteStalled(stalled);
                isChanged = true;
            }
        }

        if (isChanged)
            _work.Set();
    }

    /// <summary>Returns whether the broker confirms nothing, and another topic than that of the oldest publication waits for it.</summary>
    /// <remarks>While no other topic waits, the channel stays, because another one would not help.</remarks>
    private bool IsHeldUp(long now)
    {
        if (!confirms || !_isOpen || _isBlocked || !_earlier.HasRoom || !_pending.Flights.TryGetOldest(out var oldest) || now - Math.Max(oldest.SentAt, _listeningSince) < Patience)
            return false;
        var topic = oldest.Messages[0].Topic!;
        return _refusals.WantsChannel || IsOther(_waitForRoom.First) || IsOther(_waitForRoom.Second) || _pending.HasOther(topic);

        bool IsOther(TopicState? waiting) => waiting is not null && waiting != topic;
    }

    /// <summary>Moves the unconfirmed messages of a channel back to the front, in order. The channel has ended.</summary>
    /// <param name="channel">The publications of the channel.</param>
    /// <param name="areSuspects">
    /// Whether one of them may have closed the channel. Otherwise, messages that a full queue had refused wait for their next round. A suspect does not wait:
    /// a round may publish several messages at once, and the broker would close each channel before it accepts one of them.
    /// </param>
    /// <returns>The number of messages at the front.</returns>
    private int SendAgain(UnconfirmedFlights channel, bool areSuspects)
    {
        if (channel == _pending.Flights)
        {
            _pending.StartChannel();
            _refusals.EndSuspect();
        }
        else
        {
            foreach (var flight in channel.All)
                _earlier.End(flight.Messages, _pending); // the later messages of a topic go to the front first
        }

        var again = 0;
        foreach (var flight in channel.RemoveAll())
        {
            for (var index = flight.Count - 1; index >= 0; index--)
            {
                var message = flight.Messages[index]; // a copy
                _resent++;
                if (message.IsReleased && !areSuspects)
                {
                    _pending.Room.Refuse(message.Size);
                    Refusals.TakeBack(in message);
                    continue;
                }

                message.IsRepeated = true;
                _pending.AddFirst(in message);
                again++;
            }

            flight.Free();
        }

        _earlier.TryRemove(channel);
        return again;
    }
}
