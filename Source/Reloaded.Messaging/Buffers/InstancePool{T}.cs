using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>The spare message objects of one type: what generated serializers rent from when they read a message, and return to after it was handled.</summary>
/// <typeparam name="T">The message's type, exactly: a class derived from it has a pool of its own.</typeparam>
/// <remarks>
/// Ownership: who rents an instance owns it until it is returned, and returns it once or never; one that isn't returned is the garbage collector's.
/// The pool never looks into an instance. Its state is the caller's, who resets it before it is returned (so that it keeps nothing alive
/// and shows nobody what it held) and writes every member after it was rented.
/// <para>
/// Threads: any. Each has instances of its own, so neither call locks or waits. An instance returned on another thread than it was rented on stays
/// with that other thread: where one thread rents and another returns, the first finds none, and the second's are bounded.
/// </para>
/// <para>
/// Bounds: at most 1024 instances a thread and type. Every Gen2 collection and <see cref="MessagePool.Trim"/> let all of them go, and a
/// thread's end those of that thread. A type that can be unloaded isn't kept loaded. Allocates only to make room, up to 8 KiB a thread and type.
/// </para>
/// <para>With the switch <see cref="MessagePool.PoisonSwitch"/> on, an instance returned twice on one thread throws. Off, it would be rented twice.</para>
/// </remarks>
[SuppressMessage("Design", "CA1000:Do not declare static members on generic types", Justification = "A static a type, with nothing to look up, is what makes it fast.")]
public static class InstancePool<T>
    where T : class
{
    [ThreadStatic]
    private static InstanceStack<T>? t_spare;

    /// <summary>How many instances the calling thread has spare.</summary>
    internal static int Spare => t_spare?.Count ?? 0;

    /// <summary>Takes the instance that this thread returned last.</summary>
    /// <param name="instance">The instance, as it was returned; the caller's until it is returned again.</param>
    /// <returns>False when this thread has none spare: the caller creates one.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRent([NotNullWhen(true)] out T? instance)
    {
        instance = t_spare?.Pop();
        return instance is not null;
    }

    /// <summary>Gives back an instance that was rented or created, and that the caller has reset. The pool lets it go when it is full.</summary>
    /// <exception cref="InvalidOperationException">It is spare already. Checked only with <see cref="MessagePool.PoisonSwitch"/> on.</exception>
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
