using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Reads the items that a <see cref="SharedRingWriter{T}"/> in this or in another process writes.</summary>
/// <typeparam name="T">The items: structs without references. The writer must have the same layout.</typeparam>
/// <remarks>
/// For one thread at a time, and one reader for each ring. Makes no system call and allocates nothing. Opened by
/// <see cref="SharedRing.Open{T}"/>. The items are the other process's bytes, unchecked: a <see cref="bool"/> or an enum can have any value.
/// </remarks>
public sealed unsafe class SharedRingReader<T> : IDisposable
    where T : unmanaged
{
    private const int MaxSkips = 64;

    private readonly SharedMap _map;
    private readonly byte* _start;
    private readonly byte* _slots;
    private readonly int _slotSize = SharedRingLayout.SlotSize(sizeof(T));
    private readonly long _skip;
    private readonly Func<bool> _isWriterGone;
    private long _head;
    private long _overwritten;
    private bool _isDisposed;

    internal SharedRingReader(SharedMap map, int capacity, FullMode fullMode, Func<bool> isWriterGone)
    {
        (_map, Capacity, FullMode, _isWriterGone) = (map, capacity, fullMode, isWriterGone);
        _start = map.Start;
        _slots = _start + SharedRingLayout.Slots;
        _skip = capacity - Math.Max(1, capacity / 8);
        _head = fullMode == FullMode.Reject
            ? Volatile.Read(ref *(long*)(_start + SharedRingLayout.Head))
            : Math.Max(0, Volatile.Read(ref *(long*)(_start + SharedRingLayout.Tail)) - _skip);
    }

    /// <summary>The number of items that the ring holds.</summary>
    public int Capacity { get; }

    /// <summary>The behavior of the writer while the ring is full.</summary>
    public FullMode FullMode { get; }

    /// <summary>
    /// The number of items that this reader does not get: those overwritten since it was opened, or those that the writer has dropped since
    /// the ring was created.
    /// </summary>
    public long Lost
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return FullMode == FullMode.DropOldest ? _overwritten : Volatile.Read(ref *(long*)(_start + SharedRingLayout.Dropped));
        }
    }

    /// <summary>Whether the writer was disposed or its process has ended. Items that it wrote before can still be read.</summary>
    /// <remarks>Asks the system for the process: up to about 0.1 ms. Ask when there is nothing to read.</remarks>
    public bool IsClosed
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return Volatile.Read(ref *(int*)(_start + SharedRingLayout.Closed)) != 0 || _isWriterGone();
        }
    }

    /// <summary>Reads the oldest item that was not read.</summary>
    /// <param name="item">The item.</param>
    /// <returns><c>false</c> if there is no item to read.</returns>
    /// <exception cref="InvalidDataException">Thrown when the map holds positions that no writer writes. The ring is of no more use.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the reader is disposed.</exception>
    public bool TryRead(out T item)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        for (var skips = 0; skips < MaxSkips; skips++)
        {
            var tail = Volatile.Read(ref *(long*)(_start + SharedRingLayout.Tail)); // acquire: the items before the tail are read after it
            if (tail == _head)
            {
                item = default;
                return false;
            }

            if (tail < _head || (FullMode == FullMode.Reject && tail - _head > Capacity))
                ThrowCorrupt(tail);
            if (tail - _head <= Capacity && TryCopy(out item))
                return true;
            Skip(tail);
        }

        item = default;
        return false; // a writer that overwrites each item before it is read, or pretends to, does not keep this thread
    }

    /// <summary>Unmaps the memory. The writer goes on.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _map.Dispose();
    }

    /// <summary>Copies the item at the head.</summary>
    /// <returns><c>false</c> if the writer has begun to overwrite it.</returns>
    private bool TryCopy(out T item)
    {
        var slot = _slots + ((_head & (Capacity - 1)) * _slotSize);
        var expected = (2 * _head) + 2;
        var before = Volatile.Read(ref *(long*)slot); // acquire: the item is read after it
        item = Unsafe.ReadUnaligned<T>(slot + SharedRingLayout.SequenceSize);
        Interlocked.MemoryBarrier(); // the item is read before the sequence is read again
        if (before != expected || Volatile.Read(ref *(long*)slot) != expected)
            return false;
        _head++;
        if (FullMode == FullMode.Reject)
            Volatile.Write(ref *(long*)(_start + SharedRingLayout.Head), _head); // release: the item was read before its slot is given back
        return true;
    }

    /// <summary>Continues with an item that the writer does not overwrite soon: an eighth of the ring after the oldest.</summary>
    private void Skip(long tail)
    {
        var next = Math.Max(_head + 1, tail - _skip);
        if (FullMode == FullMode.Reject || next > tail)
            ThrowCorrupt(tail); // such an item is not overwritten before it is read
        _overwritten += next - _head;
        _head = next;
    }

    private void ThrowCorrupt(long tail) => throw new InvalidDataException(
        $"The shared ring was damaged: {tail} items were written and {_head} read, of {Capacity} that it holds. Another program wrote to its map. Dispose the reader; the writer has to create the ring again.");
}
