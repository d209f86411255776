using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A thread's spare instances of one type, last in, first out. Used by that thread alone, but for the trim.</summary>
/// <remarks>
/// A trim from another thread replaces the array and touches nothing else. The owner, in the middle of a push or a pop, finishes on the old
/// array, which nobody looks at again: so no instance is ever handed out twice. The count is left as it was, and means nothing while the array is empty.
/// <para>
/// Not <see cref="BufferStack"/>: that one shrinks buffers and leaves them in their slots, since a thread has them for good. Here a slot that
/// was popped is cleared, or a message that is never returned would live as long as its thread.
/// </para>
/// </remarks>
internal sealed class InstanceStack<T> : ITrimmable
    where T : class
{
    /// <summary>The most spare instances a thread keeps of one type.</summary>
    internal const int MaxSpare = 1024;

    private const int InitialCapacity = 16;

    private Slot[] _slots = [];
    private int _count;

    /// <summary>How many there are. Owner only.</summary>
    public int Count => _slots.Length == 0 ? 0 : _count;

    /// <summary>The instance pushed last, or null when there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T? Pop()
    {
        var slots = _slots;
        var last = _count - 1;
        if ((uint)last >= (uint)slots.Length) // one comparison for an empty stack and for one that was trimmed
            return null;

        ref var slot = ref slots[last];
        var instance = slot.Instance;
        slot.Instance = null;
        _count = last;
        return instance;
    }

    /// <summary>Keeps an instance, unless there are <see cref="MaxSpare"/>.</summary>
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
        var count = slots.Length; // and not _count, which a trim left behind
        if (count == MaxSpare)
            return;

        var larger = new Slot[Math.Max(InitialCapacity, count * 2)];
        Array.Copy(slots, larger, count);
        larger[count].Instance = instance;
        if (Interlocked.CompareExchange(ref _slots, larger, slots) == slots) // or a trim was faster, and the instance goes with the others
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

    /// <summary>An array of a struct is written to without the check that an array of objects needs, whose elements may be of a type derived from its own.</summary>
    private struct Slot
    {
        public T? Instance;
    }
}
