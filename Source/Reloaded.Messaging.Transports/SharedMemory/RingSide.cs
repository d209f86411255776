using System;
using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>One side of the two rings of a connection: what goes through them, and the wake-up of the other side.</summary>
/// <remarks>Receives and sends overlap; each is for one thread at a time. Between <see cref="SharedMap.TryEnter"/> and <see cref="SharedMap.Exit"/>.</remarks>
internal sealed unsafe class RingSide
{
    /// <summary>A large send is published in parts, so that the other side reads the first while the next is written.</summary>
    private const int MaxPart = 32 * 1024;

    private const int LooksPerPause = 8;
    private const int LooksPerTimestamp = 64;

    private readonly RingProducer _out;
    private readonly RingConsumer _in;
    private readonly int* _otherConsumerSleep;
    private readonly int* _otherProducerSleep;
    private readonly WakeSignal _otherConsumer;
    private readonly WakeSignal _otherProducer;

    public RingSide(SharedMap map, int capacity, bool isServer, WakeSignal otherConsumer, WakeSignal otherProducer)
    {
        var (outgoing, incoming) = isServer ? (RingLayout.ServerRing, RingLayout.ClientRing) : (RingLayout.ClientRing, RingLayout.ServerRing);
        var (outgoingData, incomingData) = isServer ? (0, capacity) : (capacity, 0);
        _out = new RingProducer(new Ring(map.Start, outgoing, RingLayout.Data + (long)outgoingData, capacity));
        _in = new RingConsumer(new Ring(map.Start, incoming, RingLayout.Data + (long)incomingData, capacity));
        _otherConsumerSleep = (int*)(map.Start + outgoing + RingLayout.ConsumerSleep);
        _otherProducerSleep = (int*)(map.Start + incoming + RingLayout.ProducerSleep);
        (_otherConsumer, _otherProducer) = (otherConsumer, otherProducer);
        ConsumerSleep = (int*)(map.Start + incoming + RingLayout.ConsumerSleep);
        ProducerSleep = (int*)(map.Start + outgoing + RingLayout.ProducerSleep);
    }

    /// <summary>The word where this side says that it waits for bytes.</summary>
    public int* ConsumerSleep { get; }

    /// <summary>The word where this side says that it waits for room.</summary>
    public int* ProducerSleep { get; }

    public bool HasBytes => _in.HasBytes;

    public bool HasRoom => _out.HasRoom;

    /// <summary>The bytes that were sent and not read.</summary>
    public uint Unread => _out.Unread;

    /// <summary>The end as the remote side set it.</summary>
    public RingEnd OtherEnd => _in.End;

    /// <summary>Receives what there is.</summary>
    /// <param name="buffer">The memory to fill.</param>
    /// <param name="received">The number of bytes, or 0.</param>
    /// <returns><c>false</c> if the map is damaged; otherwise, <c>true</c>.</returns>
    public bool TryReceive(Span<byte> buffer, out int received)
    {
        if (!_in.TryRead(buffer, out received))
            return false;
        if (received > 0)
            WakeOther(_otherProducerSleep, _otherProducer);
        return true;
    }

    /// <summary>Sends as much as there is room for.</summary>
    /// <param name="frames">The bytes to send.</param>
    /// <param name="sent">The number of bytes that were sent.</param>
    /// <returns><c>false</c> if the map is damaged; otherwise, <c>true</c>.</returns>
    public bool TrySend(ReadOnlySpan<byte> frames, out int sent)
    {
        sent = 0;
        while (sent < frames.Length)
        {
            if (!_out.TryWrite(frames.Slice(sent, Math.Min(frames.Length - sent, MaxPart)), out var written))
                return false;
            if (written == 0)
                break;
            sent += written;
            WakeOther(_otherConsumerSleep, _otherConsumer);
        }

        return true;
    }

    /// <summary>Publishes that nothing more is sent or received on this side. Wakes whatever of the other side sleeps.</summary>
    public void End(RingEnd end)
    {
        _out.End(end);
        WakeOther(_otherConsumerSleep, _otherConsumer);
        WakeOther(_otherProducerSleep, _otherProducer);
    }

    /// <summary>Looks for bytes or for room until there is some or the time is over.</summary>
    /// <param name="forRoom">Whether to look for room.</param>
    /// <param name="time">How long to look at most.</param>
    /// <param name="begun">When this began, as a timestamp of <see cref="Stopwatch"/>.</param>
    /// <returns>Whether there is some.</returns>
    public bool Spin(bool forRoom, SpinTime time, out long begun)
    {
        begun = Stopwatch.GetTimestamp();
        if (time.Ticks == 0)
            return false;
        do
        {
            for (var i = 1; i <= LooksPerTimestamp; i++)
            {
                if (forRoom ? _out.HasRoom : _in.HasBytes)
                {
                    time.NoteWait(0);
                    return true;
                }

                if (i % LooksPerPause == 0)
                    Thread.SpinWait(1);
            }
        }
        while (Stopwatch.GetTimestamp() - begun < time.Ticks);
        return false;
    }

    private static void WakeOther(int* word, WakeSignal signal)
    {
        Interlocked.MemoryBarrier(); // the remote side sees the earlier publication, or this side sees that the remote side sleeps
        if (Volatile.Read(ref *word) == SleepState.Waiting && Interlocked.Exchange(ref *word, SleepState.Awake) == SleepState.Waiting)
            signal.Wake(word);
    }
}
