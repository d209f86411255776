using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Writes items to memory that a reader in this or in another process has in common. Never waits, and makes no system call.</summary>
/// <typeparam name="T">The items: structs without references, up to 64 KiB. The other process must have the same layout.</typeparam>
/// <remarks>
/// For one thread at a time. Allocates nothing. A process that is killed during a write leaves no part of an item for the reader to see.
/// Created by <see cref="SharedRing.Create{T}"/>.
/// </remarks>
public sealed unsafe class SharedRingWriter<T> : IDisposable
    where T : unmanaged
{
    private readonly SharedMap _map;
    private readonly IDisposable? _file;
    private readonly byte* _start;
    private readonly byte* _slots;
    private readonly int _slotSize = SharedRingLayout.SlotSize(sizeof(T));
    private long _tail;
    private long _head;
    private long _dropped;
    private bool _isDisposed;

    internal SharedRingWriter(SharedMap map, int capacity, FullMode fullMode, IDisposable? file)
    {
        (_map, _file, Capacity, FullMode) = (map, file, capacity, fullMode);
        _start = map.Start;
        _slots = _start + SharedRingLayout.Slots;
    }

    /// <summary>The number of items that the ring holds.</summary>
    public int Capacity { get; }

    /// <summary>The behavior while the ring is full.</summary>
    public FullMode FullMode { get; }

    /// <summary>The number of items written.</summary>
    public long Written => _tail;

    /// <summary>The number of items not written because the ring was full. 0 with <see cref="FullMode.DropOldest"/>.</summary>
    public long Dropped => _dropped;

    /// <summary>Writes an item.</summary>
    /// <param name="item">The item; copied.</param>
    /// <returns><c>false</c> if the ring is full and <see cref="FullMode"/> is <see cref="FullMode.Reject"/>; otherwise, <c>true</c>.</returns>
    /// <exception cref="ObjectDisposedException">Thrown when the writer is disposed.</exception>
    public bool TryWrite(in T item)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (FullMode == FullMode.Reject && _tail - _head == Capacity && !HasRoom())
        {
            Volatile.Write(ref *(long*)(_start + SharedRingLayout.Dropped), ++_dropped);
            return false;
        }

        var slot = _slots + ((_tail & (Capacity - 1)) * _slotSize);
        var sequence = 2 * _tail;
        Volatile.Write(ref *(long*)slot, sequence + 1);
        Interlocked.MemoryBarrier(); // no byte of the item is written before the reader can see that the slot is being written
        Unsafe.WriteUnaligned(slot + SharedRingLayout.SequenceSize, item);
        Volatile.Write(ref *(long*)slot, sequence + 2); // release: the item comes before
        Volatile.Write(ref *(long*)(_start + SharedRingLayout.Tail), ++_tail);
        return true;
    }

    /// <summary>Marks the ring as ended. The reader can still read the items in it.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        Volatile.Write(ref *(int*)(_start + SharedRingLayout.Closed), 1);
        _map.Dispose();
        _file?.Dispose();
    }

    /// <summary>Reads the reader's position. It may be anything: a position out of range only makes the ring full.</summary>
    private bool HasRoom()
    {
        var head = Volatile.Read(ref *(long*)(_start + SharedRingLayout.Head)); // acquire: the reader's reads of the item come before this write
        if (head <= _head || head > _tail)
            return false;
        _head = head;
        return true;
    }
}
