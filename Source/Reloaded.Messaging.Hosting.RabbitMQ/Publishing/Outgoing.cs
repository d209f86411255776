using System;
using System.Diagnostics;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A packed message that waits in the queue for publication.</summary>
internal struct Outgoing
{
    public Segment Segment;
    public ReadOnlyMemory<byte> Message;
    public string Key;
    public string? Expiration;
    public ulong Number;
    public OutgoingKind Kind;

    /// <summary>The slot of the key of an event (see <see cref="PartitionSlot"/>); 0 without a key.</summary>
    public int Slot;
    public bool IsRepeated;
    public bool IsSecret;

    /// <summary>Whether the topic of the message offers it again after a refusal.</summary>
    public bool IsReleased;

    /// <summary>The topic of an event; <see langword="null"/> for requests and replies.</summary>
    public TopicState? Topic;

    /// <summary>The flush that waits for the message.</summary>
    public FlushEpoch? Epoch;

    /// <summary>The delivery whose handler published the message, and which waits for its confirmation; <see langword="null"/> for most messages.</summary>
    public Delivery? Handled;

    /// <summary>The activity in which the message was published. It becomes the parent of the client library's activity.</summary>
    public Activity? Activity;

    /// <summary>The size of the message with respect to the limit of the queue.</summary>
    public readonly int Size => Message.Length + PublishQueue.Overhead;
}

/// <summary>The purpose of a message, which determines its exchange and its properties.</summary>
internal enum OutgoingKind : byte
{
    Event = 0,
    Request,
    Answer,
}

/// <summary>The waiting messages, in order. Messages can be added at both ends: messages that were sent over a lost connection are added at the front.</summary>
internal sealed class OutgoingRing
{
    private Outgoing[] _places = new Outgoing[64];
    private long _head;
    private long _tail;

    public int Count => (int)(_tail - _head);

    /// <summary>Returns the message at a position from the front.</summary>
    public ref Outgoing this[int index] => ref At(_head + index);

    public ref Outgoing AddLast()
    {
        Grow();
        return ref At(_tail++);
    }

    public void AddFirst(in Outgoing message)
    {
        Grow();
        At(--_head) = message;
    }

    public Outgoing RemoveFirst()
    {
        ref var place = ref At(_head++);
        var first = place;
        place = default;
        return first;
    }

    private ref Outgoing At(long place) => ref _places[place & (_places.Length - 1)];

    private void Grow()
    {
        if (_tail - _head < _places.Length)
            return;
        var larger = new Outgoing[_places.Length * 2];
        for (var place = _head; place < _tail; place++)
            larger[place & (larger.Length - 1)] = At(place);
        _places = larger;
    }
}

/// <summary>The content of one broker message: one message, or several messages of one topic.</summary>
/// <param name="Body">The packed message, or a batch of packed messages. Valid until it is published.</param>
/// <param name="Flight">The number of the publication since the channel was opened.</param>
/// <param name="Count">The number of messages.</param>
/// <param name="Head">The first message.</param>
internal readonly record struct Publication(ReadOnlyMemory<byte> Body, ulong Flight, int Count, Outgoing Head);
