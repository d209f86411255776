using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>The spare message objects of one type. Generated serializers rent from it when they read a message and return to it after the message was handled.</summary>
/// <typeparam name="T">The exact type of the message. A derived class has a separate pool.</typeparam>
/// <remarks>
/// Ownership: the caller owns a rented instance until it returns it. It returns it at most once; an instance that is not returned is garbage-collected.
/// The pool never reads an instance. The caller resets it before the return, so that it keeps no object alive and reveals no data,
/// and writes every member after renting it.
/// <para>
/// Threading: thread-safe. Each thread has separate instances, so no call locks or waits. An instance that is returned on another thread stays
/// with that thread: if one thread rents and another returns, the first finds no spare instance, and those of the second are bounded.
/// </para>
/// <para>
/// Limits: at most 1,024 instances per thread and type. Every Gen2 collection and <see cref="MessagePool.Trim"/> release all of them, and the end of a
/// thread releases those of the thread. The pool does not keep an unloadable type loaded. It allocates only to grow, up to 8 KiB per thread and type.
/// </para>
/// <para>With the switch <see cref="MessagePool.PoisonSwitch"/>, a second return on the same thread throws. Without it, the instance would be rented twice.</para>
/// </remarks>
[SuppressMessage("Design", "CA1000:Do not declare static members on generic types", Justification = "A static a type, with nothing to look up, is what makes it fast.")]
public static class InstancePool<T>
    where T : class
{
    [ThreadStatic]
    private static InstanceStack<T>? t_spare;

    /// <summary>The number of spare instances of the calling thread.</summary>
    internal static int Spare => t_spare?.Count ?? 0;

    /// <summary>Takes the instance that this thread returned last.</summary>
    /// <param name="instance">The instance, as it was returned. The caller owns it until it is returned again.</param>
    /// <returns><c>false</c> if this thread has no spare instance and the caller has to create one; otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRent([NotNullWhen(true)] out T? instance)
    {
        instance = t_spare?.Pop();
        return instance is not null;
    }

    /// <summary>Returns an instance that the caller rented or created, and has reset. A full pool leaves it to the garbage collector.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the instance was returned already. Checked only with <see cref="MessagePool.PoisonSwitch"/>.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Return(T instance)
    {
        ArgumentNullException.ThrowIfNull(instance);
        (t_spare ?? Create()).Push(instance);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static InstanceStack<T> Create()
    {
        var stack = new InstanceStack<T>();
        MessagePool.Register(stack);
        return t_spare = stack;
    }
}

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

        var larger = new Slot[Math.Max(16, count * 2)];
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
