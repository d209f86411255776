using System;

namespace Reloaded.Messaging;

/// <summary>The buffers that a thread returns to another thread together, while it pumps a queue. Used by one thread alone.</summary>
/// <remarks>The owner of the buffers locks its inbox for each return. A pump releases message after message of the same owner, so it locks once for many.</remarks>
internal sealed class ReturnBatch
{
    private const int Capacity = 32;

    private (MessageBuffer Buffer, long Ended)[] _buffers = [];
    private int _count;
    private int _pumps;

    /// <summary>Begins to hold buffers back. Calls nest, since a handler may pump a queue.</summary>
    public void Begin() => _pumps++;

    /// <summary>Returns the buffers that are held, and holds no more after as many calls as of <see cref="Begin"/>.</summary>
    public void End()
    {
        _pumps--;
        Flush();
    }

    /// <summary>Returns a buffer to its owner, now or together with others.</summary>
    /// <param name="buffer">The cleaned buffer of another thread.</param>
    /// <param name="ended">The generation that the release set.</param>
    public void Add(MessageBuffer buffer, long ended)
    {
        if (_count > 0 && (_count == Capacity || _buffers[0].Buffer.Owner != buffer.Owner))
            Flush();
        if (_buffers.Length == 0)
            _buffers = new (MessageBuffer Buffer, long Ended)[Capacity];
        _buffers[_count++] = (buffer, ended);
        if (_pumps == 0)
            Flush();
    }

    private void Flush()
    {
        if (_count == 0)
            return;

        var held = _buffers.AsSpan(0, _count);
        held[0].Buffer.Owner!.ReturnFromElsewhere(held);
        held.Clear();
        _count = 0;
    }
}
