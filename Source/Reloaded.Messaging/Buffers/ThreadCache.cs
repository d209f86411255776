using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>The spare buffers of one thread. Only the cache decides which of the buffers that it created may be reused.</summary>
/// <remarks>
/// A buffer is created in the cache of the thread that packs, and only that thread takes it back, so taking and returning are plain
/// loads and stores. A thread that releases a message of another thread puts the buffer and the number of its use into the owner's
/// <see cref="_inbox"/>. The owner compares the number with the buffer's when it next runs out of buffers, so a message that two threads release
/// at the same time is still returned once. The alternative, an atomic exchange per message, costs as much as the rest of packing.
/// <para>
/// Most messages are packed, sent and released before the next: the first buffer serves those, and only its generation changes. A stack
/// alone would pass its count through memory twice a message.
/// </para>
/// </remarks>
internal sealed class ThreadCache : ITrimmable
{
    /// <summary>The number of spare buffers of a thread that keep their arrays: 4 MiB with 16 KiB each.</summary>
    internal const int MaxWarm = 256;

    /// <summary>The maximum number of spare buffers of a thread. Those above <see cref="MaxWarm"/> keep 256 bytes each.</summary>
    internal const int MaxSpare = 1024;

    /// <summary>The maximum number of bytes in the inbox, the same as the owner keeps in arrays.</summary>
    private const long MaxInboxBytes = MaxWarm * MessageBuffer.MaxRetained;

    [ThreadStatic]
    private static ThreadCache? t_current;

    private readonly object _inboxGate = new();
    private readonly MessageBuffer _first;
    private BufferStack _stack = new();
    private (MessageBuffer Buffer, long Ended)[] _inbox = [];
    private int _inboxCount;
    private long _inboxBytes;
    private bool _firstIsInInbox;

    // The counts of buffers other than the first that were taken and returned. Each is written by the owner alone or inside of the gate; a trim does not change them.
    private long _taken;
    private long _returned;
    private long _returnedElsewhere;

    private ThreadCache() => _first = new MessageBuffer(this);

    /// <summary>The cache of the calling thread.</summary>
    internal static ThreadCache Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => t_current ?? Create();
    }

    /// <summary>The buffers of other threads that this thread returns.</summary>
    internal readonly ReturnBatch Elsewhere = new();

    /// <summary>The number of spare buffers. Thread-safe; exact while the owner is idle.</summary>
    internal int Spare => Volatile.Read(ref _stack).Count + Volatile.Read(ref _inboxCount) + (_first.IsInUse ? 0 : 1);

    /// <summary>The number of buffers in use, including those that were lost without a release. Thread-safe; exact while the owner is idle.</summary>
    internal int Outstanding
    {
        get
        {
            lock (_inboxGate)
                return (int)(_taken - _returned - _returnedElsewhere) + (_first.IsInUse && !_firstIsInInbox ? 1 : 0);
        }
    }

    /// <summary>Takes a buffer for a new message, with its old contents. Owner thread only.</summary>
    /// <param name="generation">The buffer's generation. It is returned because reading it back would wait for the write.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal MessageBuffer Rent(out long generation)
    {
        var first = _first;
        generation = first.Generation + 1;
        if ((generation & 3) != 1)
            return RentNext(out generation);
        first.Generation = generation;
        return first;
    }

    /// <summary>Takes an empty buffer for a new message. Owner thread only.</summary>
    internal MessageBuffer Rent(int limit)
    {
        var buffer = Rent(out _);
        buffer.Restart(limit);
        return buffer;
    }

    /// <summary>Takes back a buffer of this cache that is in use. Owner thread only.</summary>
    internal void Return(MessageBuffer buffer)
    {
        buffer.Generation += MessageBuffer.FreeGeneration;
        TakeBack(buffer);
    }

    /// <summary>Takes back a buffer of this cache whose generation says already that it is free. Owner thread only.</summary>
    internal void TakeBack(MessageBuffer buffer)
    {
        if (buffer.NeedsCleanup || MessagePool.PoisonsReturnedBuffers)
            buffer.Clean();
        if (buffer != _first)
            Push(buffer);
    }

    /// <summary>Takes back a buffer of this cache that needs no cleanup.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ReturnClean(MessageBuffer buffer)
    {
        if (MessagePool.PoisonsReturnedBuffers)
            buffer.Clean();
        if (buffer != _first)
            Push(buffer);
    }

    /// <summary>Takes back buffers from a thread that is not their owner.</summary>
    /// <param name="buffers">The cleaned buffers, each with the generation that its release set. If a buffer's has moved on, the message was released twice.</param>
    internal void ReturnFromElsewhere(ReadOnlySpan<(MessageBuffer Buffer, long Ended)> buffers)
    {
        lock (_inboxGate)
        {
            foreach (var (buffer, ended) in buffers)
            {
                if (Volatile.Read(ref buffer.Generation) == ended)
                    AddToInbox(buffer, ended);
                else
                    MessagePool.CountSecondRelease();
            }
        }
    }

    /// <summary>Releases every spare buffer except the first. Thread-safe.</summary>
    /// <remarks>The owner may be in the middle of a push or a pop on the old stack. It finishes there, and the old stack is not read again.</remarks>
    public void Trim()
    {
        lock (_inboxGate)
        {
            Volatile.Write(ref _stack, new BufferStack());
            var kept = 0;
            for (var i = 0; i < _inboxCount; i++)
            {
                if (_inbox[i].Buffer == _first)
                    _inbox[kept++] = _inbox[i];
                else
                    CountIfStale(_inbox[i].Buffer, _inbox[i].Ended);
            }

            Array.Resize(ref _inbox, kept);
            _inboxCount = kept;
            _inboxBytes = 0;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ThreadCache Create()
    {
        var cache = new ThreadCache();
        MessagePool.Register(cache);
        return t_current = cache;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private MessageBuffer RentNext(out long generation)
    {
        if (!_stack.TryPop(out var buffer))
        {
            TakeInbox();
            if (!_first.IsInUse)
                buffer = _first;
            else if (!_stack.TryPop(out buffer))
                buffer = new MessageBuffer(this);
        }

        if (buffer != _first)
            _taken++;
        generation = ++buffer.Generation;
        return buffer;
    }

    private void TakeInbox()
    {
        lock (_inboxGate)
        {
            for (var i = 0; i < _inboxCount; i++)
            {
                var (buffer, ended) = _inbox[i];
                if (CountIfStale(buffer, ended))
                    continue;

                buffer.Generation = ended + (MessageBuffer.FreeGeneration - MessageBuffer.EndedGeneration);
                if (MessagePool.PoisonsReturnedBuffers)
                    buffer.Clean();
                if (buffer != _first)
                    _stack.Push(buffer);
            }

            Array.Clear(_inbox, 0, _inboxCount);
            _inboxCount = 0;
            _inboxBytes = 0;
            _firstIsInInbox = false;
        }
    }

    /// <summary>Keeps a buffer for the owner. The first buffer always returns to its place. Other buffers return only while the owner would keep them; the rest is garbage-collected. The caller holds the gate.</summary>
    private void AddToInbox(MessageBuffer buffer, long ended)
    {
        Debug.Assert(Monitor.IsEntered(_inboxGate));
        if (buffer == _first)
            _firstIsInInbox = true;
        else
            _returnedElsewhere++;

        var kept = _inboxCount + Volatile.Read(ref _stack).Count + (_firstIsInInbox ? 0 : 1);
        if (buffer != _first && (kept >= MaxSpare || _inboxBytes > MaxInboxBytes))
            return;
        if (_inboxCount == _inbox.Length)
            Array.Resize(ref _inbox, Math.Max(16, _inboxCount * 2));
        _inbox[_inboxCount++] = (buffer, ended);
        _inboxBytes += buffer.Capacity;
    }

    /// <summary>Returns whether a message that another thread released had already been returned by this thread, which makes it a second release. The caller holds the gate.</summary>
    private bool CountIfStale(MessageBuffer buffer, long ended)
    {
        Debug.Assert(Monitor.IsEntered(_inboxGate));
        if (Volatile.Read(ref buffer.Generation) == ended)
            return false;

        MessagePool.CountSecondRelease();
        if (buffer != _first)
            _returnedElsewhere--;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Push(MessageBuffer buffer)
    {
        _returned++;
        if (_stack.Count + Volatile.Read(ref _inboxCount) < MaxSpare - 1) // plus the first buffer, which is not in the stack
            _stack.Push(buffer);
    }
}

/// <summary>The spare buffers of a thread after the first one, last in, first out. Used by that thread alone.</summary>
/// <remarks>
/// Buffers that kept their arrays are taken first. With a single order, buffers with small arrays could end on top after a burst; each message
/// would then grow a small array and discard it again.
/// </remarks>
internal sealed class BufferStack
{
    // Up to MaxWarm with their arrays, and with small arrays from that position on.
    private MessageBuffer[] _items = [];
    private int _warm;
    private int _small;

    /// <summary>The number of buffers.</summary>
    public int Count => _warm + _small;

    public bool TryPop([NotNullWhen(true)] out MessageBuffer? buffer)
    {
        buffer = _warm > 0 ? _items[--_warm] : _small > 0 ? _items[ThreadCache.MaxWarm + --_small] : null;
        return buffer is not null;
    }

    public void Push(MessageBuffer buffer)
    {
        var isWarm = _warm < ThreadCache.MaxWarm;
        if (!isWarm)
            buffer.Shrink();
        var slot = isWarm ? _warm++ : ThreadCache.MaxWarm + _small++;
        if (slot >= _items.Length)
            Array.Resize(ref _items, Math.Max(16, slot * 2));

        // The slot usually still holds this buffer, and a comparison is cheaper than a write barrier.
        if (_items[slot] != buffer)
            _items[slot] = buffer;
    }
}

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
