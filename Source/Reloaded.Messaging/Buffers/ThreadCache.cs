using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>One thread's spare buffers, and the only judge of which of the buffers it made may be used again.</summary>
/// <remarks>
/// A buffer is born in the cache of the thread that packs, and only that thread ever takes it back: so taking and returning are plain
/// loads and stores. A thread that releases somebody else's message leaves the buffer and the use's number in the owner's
/// <see cref="_inbox"/>; the owner compares the number with the buffer's when it next runs out, so a message that two threads release
/// at once is still returned once. An atomic exchange a message, the other way to have that, costs as much as all the rest.
/// <para>
/// Most messages are packed, sent and released before the next: the first buffer serves those, and only a flag in it changes. A stack
/// alone would pass its count through memory twice a message, which took 11 ns where this takes 6.
/// </para>
/// </remarks>
internal sealed class ThreadCache : ITrimmable
{
    /// <summary>The spare buffers that a thread keeps as they are: with 16 KiB each at most, 4 MiB.</summary>
    internal const int MaxWarm = 256;

    /// <summary>The most spare buffers a thread keeps. Those above <see cref="MaxWarm"/> keep 256 bytes each.</summary>
    internal const int MaxSpare = 1024;

    /// <summary>What may wait in the inbox, in bytes: as much as the owner keeps warm.</summary>
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

    // What went out and came back beyond the first buffer. Each is written by the owner alone or inside of the gate, and a trim leaves them be.
    private long _taken;
    private long _returned;
    private long _returnedElsewhere;

    private ThreadCache() => _first = new MessageBuffer(this);

    /// <summary>The calling thread's cache.</summary>
    internal static ThreadCache Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => t_current ?? Create();
    }

    /// <summary>Buffers that wait to be used again. Any thread; exact while the owner is idle.</summary>
    internal int Spare => Volatile.Read(ref _stack).Count + Volatile.Read(ref _inboxCount) + (_first.IsInUse ? 0 : 1);

    /// <summary>Buffers in use, those included that were lost without a release. Any thread; exact while the owner is idle.</summary>
    internal int Outstanding
    {
        get
        {
            lock (_inboxGate)
                return (int)(_taken - _returned - _returnedElsewhere) + (_first.IsInUse && !_firstIsInInbox ? 1 : 0);
        }
    }

    /// <summary>A buffer for a new message, as it was left. Owner thread only.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal MessageBuffer Rent()
    {
        var first = _first;
        if (first.IsInUse)
            return RentNext();
        first.IsInUse = true;
        return first;
    }

    /// <summary>A buffer for a new message, empty. Owner thread only.</summary>
    internal MessageBuffer Rent(int limit)
    {
        var buffer = Rent();
        buffer.Restart(limit);
        return buffer;
    }

    /// <summary>Takes back a buffer of this cache. Owner thread only; its generation is already the next.</summary>
    internal void Return(MessageBuffer buffer)
    {
        if (buffer.NeedsCleanup || MessagePool.PoisonsReturnedBuffers)
            buffer.Clean();
        Free(buffer);
    }

    /// <summary>The same for a buffer that needs no care.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ReturnClean(MessageBuffer buffer)
    {
        if (MessagePool.PoisonsReturnedBuffers)
            buffer.Clean();
        Free(buffer);
    }

    /// <summary>Takes back a buffer from a thread that is not its home.</summary>
    /// <param name="buffer">The buffer, clean.</param>
    /// <param name="ended">Its generation as the release left it. If it has moved on, the message was released twice.</param>
    internal void ReturnFromElsewhere(MessageBuffer buffer, long ended)
    {
        lock (_inboxGate)
        {
            if (Volatile.Read(ref buffer.Generation) != ended)
            {
                MessagePool.CountSecondRelease();
                return;
            }

            if (buffer == _first)
                _firstIsInInbox = true;
            else
                _returnedElsewhere++;

            // The first buffer always gets its place. Others only while the owner would keep them: past that they are for the collector.
            var kept = _inboxCount + Volatile.Read(ref _stack).Count + (_firstIsInInbox ? 0 : 1);
            if (buffer != _first && (kept >= MaxSpare || _inboxBytes > MaxInboxBytes))
                return;
            if (_inboxCount == _inbox.Length)
                Array.Resize(ref _inbox, Math.Max(16, _inboxCount * 2));
            _inbox[_inboxCount++] = (buffer, ended);
            _inboxBytes += buffer.Capacity;
        }
    }

    /// <summary>Lets every spare buffer go but the first. Any thread.</summary>
    /// <remarks>The owner may be in the middle of a push or a pop on the old stack: it finishes there, and nobody else ever looks at it again.</remarks>
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
    private MessageBuffer RentNext()
    {
        if (!_stack.TryPop(out var buffer))
        {
            TakeInbox();
            if (!_first.IsInUse)
            {
                _first.IsInUse = true;
                return _first;
            }

            if (!_stack.TryPop(out buffer))
                buffer = new MessageBuffer(this);
        }

        _taken++;
        buffer.IsInUse = true;
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

                buffer.Generation = ended + (MessageBuffer.NextGeneration - MessageBuffer.EndedGeneration);
                if (MessagePool.PoisonsReturnedBuffers)
                    buffer.Clean();
                buffer.IsInUse = false;
                if (buffer != _first)
                    _stack.TryPush(buffer);
            }

            Array.Clear(_inbox, 0, _inboxCount);
            _inboxCount = 0;
            _inboxBytes = 0;
            _firstIsInInbox = false;
        }
    }

    /// <summary>Whether a message that another thread released had been returned before, by this one: then it is a second release. Inside of the gate.</summary>
    private bool CountIfStale(MessageBuffer buffer, long ended)
    {
        if (Volatile.Read(ref buffer.Generation) == ended)
            return false;

        MessagePool.CountSecondRelease();
        if (buffer != _first)
            _returnedElsewhere--;
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Free(MessageBuffer buffer)
    {
        buffer.IsInUse = false;
        if (buffer != _first)
            Push(buffer);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Push(MessageBuffer buffer)
    {
        _returned++;
        _stack.TryPush(buffer);
    }
}
