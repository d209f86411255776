using System;
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
