using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>What follows when the broker neither confirms nor refuses.</content>
internal sealed partial class PublishQueue
{
    /// <summary>The time without a reply after which the oldest publication is suspected to stop its channel, in milliseconds.</summary>
    private const long MinPatience = 1000;

    /// <summary>The longest such time. It doubles with each channel that confirms nothing, so that a slow broker does not receive more and more copies.</summary>
    private const long MaxPatience = 16_000;

    private readonly SilentTopics _silent = new();
    private readonly WorkSignal _silence = new();
    private long _patience = MinPatience;
    private long _lastReply;

    /// <summary>The time since which a message waits and the broker has replied to none; <c>null</c> if no message waits.</summary>
    private long? _waitingSince;

    /// <summary>The topic of the last message that found no room since the last reply.</summary>
    private TopicState? _lastFull;

    /// <summary>Whether the broker does not reply to the publications of a topic.</summary>
    public bool HasSilentTopics
    {
        get
        {
            lock (_gate)
                return _silent.Any;
        }
    }

    /// <summary>Completes when there may be another silent topic, or the connection is lost. Used by one loop.</summary>
    public ValueTask WaitForSilenceAsync() => _silence.WaitAsync();

    /// <summary>Returns whether a message waits, and the broker has replied to no message since a time, in milliseconds.</summary>
    public bool IsUnconfirmedSince(long time)
    {
        lock (_gate)
            return _waitingSince <= time;
    }

    /// <summary>
    /// Returns whether the broker has stopped replying on the channel, and another topic than that of the oldest publication waits for it. The caller ends the channel, and
    /// then calls <see cref="EndStuck"/>.
    /// </summary>
    /// <remarks>While no other topic waits, the channel stays, since its publications arrive once when the broker goes on.</remarks>
    /// <param name="now">The time, in milliseconds.</param>
    public bool IsStuck(long now)
    {
        lock (_gate)
        {
            if (!_isOpen || _isBlocked || !_pending.Flights.TryGetOldest(out var oldest) || now - Math.Max(oldest.SentAt, _lastReply) < _patience)
                return false;
            var topic = oldest.Messages[0].Topic!;
            return (_lastFull is not null && _lastFull != topic) || _pending.HasOther(topic);
        }
    }

    /// <summary>
    /// Records that the channel was ended because the broker did not reply. The topic of the oldest publication becomes silent. The unconfirmed messages of the other
    /// topics are published again, marked, over the next channel.
    /// </summary>
    public void EndStuck()
    {
        lock (_gate)
        {
            if (_pending.Flights.TryGetOldest(out var oldest))
            {
                var silent = _silent.Add(oldest.Messages[0].Topic!);
                PublishAgain(_refusals.HasSuspects, silent);
                _refusals.TakeAll(silent.Topic, message => silent.Add(message, isPublished: false));
                _pending.TakeAll(silent.Topic, message =>
                {
                    _pending.Room.Refuse(message.Size);
                    silent.Add(message, isPublished: false);
                });
            }

            _lastFull = null;
            _refusals.TryEndChannel(); // the channel has ended
            _pending.Flights.Restart();
            _patience = Math.Min(2 * _patience, MaxPatience);
            _lastReply = Environment.TickCount64;
            _pending.Room.WakeIfRoom();
        }

        _work.Set();
        _silence.Set();
    }

    /// <summary>Returns the first message of each silent topic, or of as many as are published again at a time.</summary>
    public Probe[] TakeProbes()
    {
        lock (_gate)
        {
            if (!_isOpen || _isBlocked)
                return [];
            var probes = Array.ConvertAll(_silent.Take(), static silent => new Probe(silent, silent.Peek()));
            _resent += probes.Length;
            return probes;
        }
    }

    /// <summary>Records what became of the first message of a silent topic that was published again. After a reply, the messages of the topic return to the queue, in order.</summary>
    public void EndProbe(SilentTopic silent, ProbeResult result)
    {
        lock (_gate)
        {
            if (result == ProbeResult.None)
            {
                if (!silent.HasFailed)
                    _refusals.NoteStalled(silent.Topic, silent.Count);
                silent.HasFailed = true;
                return;
            }

            var messages = new List<Outgoing>(silent.Count);
            while (silent.TryTake(out var message))
                messages.Add(message);
            _silent.Remove(silent);
            var returned = result == ProbeResult.Closed ? 0 : 1;
            for (var index = messages.Count - 1; index >= returned; index--)
                _pending.OfferFirst(messages[index]);
            if (_refusals.HasSuspects)
                _refusals.Suspect(messages.Count - returned); // the suspects are behind these messages now
            else if (result == ProbeResult.Closed)
                _refusals.Suspect(1);
            Complete(messages[0], result);
            NoteReply();
            _pending.Room.WakeAfterRefused();
            _pending.Room.WakeIfRoom();
        }

        _work.Set();
    }

    private void Complete(in Outgoing message, ProbeResult result)
    {
        if (result == ProbeResult.Rejected)
            _refusals.Refuse(in message);
        if (result != ProbeResult.Taken)
            return;
        _confirmed++;
        _pending.Restore(in message);
        End(in message, isConfirmed: true);
    }

    /// <summary>Begins to wait for replies when the broker can reply again.</summary>
    private void ListenAnew()
    {
        _lastReply = Environment.TickCount64;
        _waitingSince = _silent.Any || _pending.Flights.Count > 0 ? _lastReply : null;
    }
}
