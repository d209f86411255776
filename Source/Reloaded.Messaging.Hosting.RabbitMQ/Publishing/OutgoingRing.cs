namespace Reloaded.Messaging.Hosting.RabbitMQ;

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
