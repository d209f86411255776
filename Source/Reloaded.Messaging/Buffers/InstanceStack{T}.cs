using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The spare instances of one type of a thread, last in, first out. Used by that thread alone, except for a trim.</summary>
/// <remarks>
/// A trim from another thread replaces the array and changes nothing else. The owner may be in the middle of a push or a pop and finishes it on the old
/// array, which is not read again, so no instance is rented twice. The count stays unchanged and is meaningless while the array is empty.
/// <para>
/// Unlike <see cref="BufferStack"/>, which shrinks buffers and leaves them in their slots because a thread owns them permanently, a popped slot is
/// cleared here. Otherwise, a message that is never returned would live as long as its thread.
/// </para>
/// </remarks>
internal sealed class InstanceStack<T> : ITrimmable
    where T : class
{
    /// <summary>The maximum number of spare instances per thread and type.</summary>
    internal const int MaxSpare = 1024;

    private const int InitialCapacity = 16;

    private Slot[] _slots = [];
    private int _count;

    /// <summary>The number of instances. Owner thread only.</summary>
    public int Count => _slots.Length == 0 ? 0 : _count;

    /// <summary>The instance that was pushed last, or <c>null</c> if there is no instance.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T? Pop()
    {
        var slots = _slots;
        var last = _count - 1;
        if ((uint)last >= (uint)slots.Length) // one comparison for an empty stack and for a trimmed one
            return null;

        ref var slot = ref slots[last];
        var instance = slot.Instance;
        slot.Instance = null;
        _count = last;
        return instance;
    }

    /// <summary>Keeps an instance, unless there are <see cref="MaxSpare"/> instances.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Push(T instance)
    {
        if (MessagePool.PoisonsReturnedBuffers)
            ThrowIfSpare(instance);

        var slots = _slots;
        var count = _count;
        if ((uint)count < (uint)slots.Length)
        {
            slots[count].Instance = instance;
            _count = count + 1;
        }
        else
        {
            PushOntoFull(slots, instance);
        }
    }

    /// <inheritdoc/>
    public void Trim() => Volatile.Write(ref _slots, []);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PushOntoFull(Slot[] slots, T instance)
    {
        var count = slots.Length; // not _count, which a trim leaves unchanged
        if (count == MaxSpare)
            return;

        var larger = new Slot[Math.Max(InitialCapacity, count * 2)];
        Array.Copy(slots, larger, count);
        larger[count].Instance = instance;
        if (Interlocked.CompareExchange(ref _slots, larger, slots) == slots) // otherwise, a trim was faster, and the instance is released with the others
            _count = count + 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ThrowIfSpare(T instance)
    {
        var slots = _slots;
        for (var i = 0; i < slots.Length && i < _count; i++)
        {
            if (slots[i].Instance == instance)
                Throw.InstanceReturnedTwice(typeof(T));
        }
    }

    /// <summary>A struct around the instance: writing to an array of structs avoids the covariance check of an array of objects.</summary>
    private struct Slot
    {
        public T? Instance;
    }
}
