using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ.Links;
using Reloaded.Messaging.Hosting.Sending;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <summary>Packed messages that are to be published, in order; with confirms, until the broker has said of each that it has it.</summary>
/// <remarks>
/// A ring of places: those before <c>_next</c> are published, those before <c>_head</c> done. What is to be sent again is set back to Waiting
/// and <c>_next</c> with it; the writer passes over what needs nothing. Any thread adds, one at a time takes.
/// </remarks>
/// <param name="maxBytes">Past so many it is full. An empty queue takes any message.</param>
/// <param name="confirms">Whether messages stay until they are confirmed, over lost connections too. Otherwise those that wait when a connection is lost are lost with it.</param>
internal sealed partial class PublishQueue(int maxBytes, bool confirms)
{
    /// <summary>What a message counts here besides its bytes, so that places are bounded too: 16,384 of them in 4 MiB.</summary>
    public const int Overhead = 256;

    /// <summary>Topics that are numbered: a bound for who makes up a name for each message.</summary>
    private const int MaxTopics = 65_536;

    /// <summary>Publications on their way at once. What a broker says no to is sent again, and shall not be all that waits.</summary>
    private const int MaxUnconfirmed = 1024;

    private readonly object _gate = new();
    private readonly WorkSignal _work = new();
    private readonly Dictionary<string, ulong> _numbers = [];
    private Outgoing[] _ring = new Outgoing[64];
    private long _head;
    private long _next;
    private long _tail;
    private long _bytes;
    private long _count;
    private bool _isOpen;
    private bool _isBlocked;
    private bool _isSealed;

    /// <summary>Messages that are not done.</summary>
    public long Count
    {
        get
        {
            lock (_gate)
                return _count;
        }
    }

    /// <summary>Messages that were lost with their connection.</summary>
    public long Dropped { get; private set; }

    /// <summary>Takes a message.</summary>
    /// <param name="message">The message; copied.</param>
    /// <param name="key">The topic, or whom it is for.</param>
    /// <param name="kind">What it is for.</param>
    /// <param name="isSecret">Whether to zero copies of it.</param>
    /// <param name="expiration">When the broker may drop it, in milliseconds, as AMQP wants it.</param>
    public SendStatus TryAdd(ReadOnlySpan<byte> message, string key, OutgoingKind kind, bool isSecret, string? expiration = null)
    {
        lock (_gate)
        {
            if (_isSealed || (!confirms && !_isOpen))
                return SendStatus.Closed;
            // Answers are not stopped by an alarm and may take twice the room: who asked waits for them.
            if (kind != OutgoingKind.Answer && _isBlocked)
                return SendStatus.Full;
            var size = message.Length + Overhead;
            var most = kind == OutgoingKind.Answer ? 2L * maxBytes : maxBytes;
            if (_bytes > 0 && (_bytes + size > most || _tail - _head > most / Overhead)) // places count even where a later one is done
                return SendStatus.Full;

            if (_tail - _head == _ring.Length)
                Grow();
            var number = kind == OutgoingKind.Event ? NextNumber(key) : 0;
            var segment = SegmentFor(message.Length);
            At(_tail) = new Outgoing
            {
                Segment = segment,
                Message = segment.Add(message, isSecret),
                Key = key,
                Kind = kind,
                IsSecret = isSecret,
                Expiration = expiration,
                Number = number,
            };
            _tail++;
            _count++;
            _bytes += size;
        }

        _work.Set();
        return SendStatus.Sent;
    }

    /// <summary>Completes when there may be something to take. For the one who takes.</summary>
    public ValueTask WaitForWorkAsync() => _work.WaitAsync();

    /// <summary>Has the one who takes look again.</summary>
    public void Wake() => _work.Set();

    /// <summary>Takes what is to be published next.</summary>
    /// <param name="batch">Where to put several messages together; null to take one at a time.</param>
    /// <param name="batchBytes">How much may be put together.</param>
    /// <param name="publication">What to publish.</param>
    /// <returns>False when there is nothing, or the broker wants nothing.</returns>
    public bool TryTake(FrameBuffer? batch, int batchBytes, out Publication publication)
    {
        lock (_gate)
        {
            publication = default;
            if (HeldBytes > _compactAbove)
                Compact();
            if (_isBlocked || !_isOpen || _flights.Count >= MaxUnconfirmed)
                return false;
            while (_next < _tail && At(_next).State != OutgoingState.Waiting)
                _next++;
            if (_next == _tail)
                return false;

            var first = _next;
            At(first).State = OutgoingState.Sent;
            _next++;
            var head = At(first);
            ReadOnlyMemory<byte> body = head.Message;
            if (batch is not null && head.Kind == OutgoingKind.Event && Follows(first, head.Message.Length, batchBytes))
            {
                batch.Clear();
                batch.Append(head.Message.Span, head.IsSecret);
                while (Follows(first, batch.Length, batchBytes))
                {
                    ref var next = ref At(_next++);
                    batch.Append(next.Message.Span, next.IsSecret);
                    next.State = OutgoingState.Sent;
                }

                body = batch.Memory;
            }

            var count = (int)(_next - first);
            publication = new Publication(body, first, count, head);
            if (confirms)
                TakeOff(first, count);
            return true;
        }
    }

    /// <summary>Whether so much waits that a batch of this size would be full.</summary>
    public bool HasFullBatch(int batchBytes)
    {
        lock (_gate)
            return _bytes - _count * Overhead >= batchBytes;
    }

    /// <summary>A publication without a confirm is out, or was lost on its way: nobody here can know.</summary>
    public void Finish(in Publication publication)
    {
        lock (_gate)
            MarkDone(publication.First, publication.Count);
    }

    private bool Follows(long first, int size, int batchBytes)
    {
        if (_next == _tail)
            return false;
        ref var next = ref At(_next);
        ref var head = ref At(first);
        return next.State == OutgoingState.Waiting
            && next.Kind == OutgoingKind.Event
            && next.IsRepeated == head.IsRepeated
            && next.Key == head.Key
            && size + next.Message.Length + 2 * UVarint.MaxSize <= batchBytes;
    }

    private ref Outgoing At(long place) => ref _ring[place & (_ring.Length - 1)];

    private ulong NextNumber(string topic)
    {
        ref var number = ref CollectionsMarshal.GetValueRefOrNullRef(_numbers, topic);
        if (Unsafe.IsNullRef(ref number))
        {
            Names.Checked(topic, Names.MaxTopic, nameof(topic));
            if (_numbers.Count == MaxTopics)
                throw new InvalidOperationException($"'{topic}' is one topic too many: a host publishes to {MaxTopics} at most. Put what tells messages apart into the messages.");
            _numbers[topic] = 1;
            return 1;
        }

        return ++number;
    }

    private void MarkDone(long first, int count)
    {
        for (var place = first; place < first + count; place++)
        {
            ref var done = ref At(place);
            _bytes -= done.Message.Length + Overhead;
            _count--;
            Release(done.Segment);
            done = new Outgoing { State = OutgoingState.Done };
        }

        while (_head < _tail && At(_head).State == OutgoingState.Done)
            _head++;
        _next = Math.Max(_next, _head);
        if (HasRoom(_wanted))
            WakeWaiting();
        EndFlushes();
    }

    private void Grow()
    {
        var larger = new Outgoing[_ring.Length * 2];
        for (var place = _head; place < _tail; place++)
            larger[place & (larger.Length - 1)] = At(place);
        _ring = larger;
    }
}
