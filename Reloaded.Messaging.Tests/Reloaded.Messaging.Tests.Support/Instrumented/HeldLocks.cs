using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Reflection;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The locks of an instrumented library that the current thread holds, and the callbacks of the program that were called.</summary>
/// <remarks>A type initializer of the library is a lock too: it makes each other thread wait that uses the type.</remarks>
public static class HeldLocks
{
    [ThreadStatic]
    private static Stack<string>? t_held;

    [ThreadStatic]
    private static string? t_name;

    private static readonly ConcurrentDictionary<string, bool> s_called = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<string, string> s_underLock = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<(string Held, string Taken), bool> s_orders = new();

    /// <summary>The kinds of callbacks that were called under a lock of the library, with the call stack.</summary>
    public static IReadOnlyDictionary<string, string> CalledUnderLock => s_underLock;

    /// <summary>The pairs of locks of which one was taken while the other was the last lock that the thread held.</summary>
    public static ICollection<(string Held, string Taken)> Orders => s_orders.Keys;

    /// <summary>Called by each callback of a scenario.</summary>
    /// <param name="callback">The kind of the callback, such as "handler".</param>
    public static void Check(string callback)
    {
        s_called[callback] = true;
        var held = string.Join(", ", [.. t_held ?? [], .. FindInitializers()]);
        if (held.Length > 0)
            s_underLock.TryAdd(callback, $"{callback} under {held}\n{Environment.StackTrace}");
    }

    /// <summary>Whether a callback was called.</summary>
    public static bool WasCalled(string callback) => s_called.ContainsKey(callback);

    /// <summary>Waits until each of some callbacks was called.</summary>
    /// <param name="callbacks">The kinds of the callbacks.</param>
    public static async Task UntilCalledAsync(params string[] callbacks)
    {
        try
        {
            await Signal.UntilAsync(() => callbacks.All(s_called.ContainsKey));
        }
        catch (TimeoutException e)
        {
            throw new TimeoutException($"Not called: {string.Join(", ", callbacks.Where(static callback => !s_called.ContainsKey(callback)))}.", e);
        }
    }

    /// <summary>Called by the library before it takes a lock.</summary>
    public static void Name(string name) => t_name = name;

    [Replaces(typeof(Monitor), nameof(Monitor.Enter))]
    public static void Enter(object gate, ref bool isTaken)
    {
        Monitor.Enter(gate, ref isTaken);
        Push();
    }

    [Replaces(typeof(Monitor), nameof(Monitor.Exit))]
    public static void Exit(object gate)
    {
        t_held!.Pop();
        Monitor.Exit(gate);
    }

    [Replaces(typeof(SpinLock), nameof(SpinLock.Enter))]
    public static void Enter(ref SpinLock gate, ref bool isTaken)
    {
        gate.Enter(ref isTaken);
        Push();
    }

    [Replaces(typeof(SpinLock), nameof(SpinLock.Exit))]
    public static void Exit(ref SpinLock gate, bool useMemoryBarrier)
    {
        t_held!.Pop();
        gate.Exit(useMemoryBarrier);
    }

    /// <summary>Returns the type initializers of the library that call the current method.</summary>
    private static IEnumerable<string> FindInitializers() =>
        from frame in new StackTrace().GetFrames()
        let type = frame.GetMethod() is ConstructorInfo { IsStatic: true } initializer ? initializer.DeclaringType : null
        where type?.Assembly.GetName().Name is { } assembly && assembly.StartsWith("Reloaded.Messaging", StringComparison.Ordinal) && !assembly.Contains(".Tests", StringComparison.Ordinal)
        select $"the type initializer of {type.Name}";

    private static void Push()
    {
        var held = t_held ??= new Stack<string>();
        var name = t_name ?? "a lock without a name";
        t_name = null;
        if (held.TryPeek(out var last) && !held.Contains(name)) // a lock that the thread holds already is taken again at once
            s_orders.TryAdd((last, name), true);
        held.Push(name);
    }
}
