using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The locks of an instrumented library that the current thread holds, and the callbacks of the program that were called.</summary>
public static class HeldLocks
{
    [ThreadStatic]
    private static int t_held;

    private static readonly ConcurrentDictionary<string, bool> s_called = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<string, string> s_underLock = new(StringComparer.Ordinal);

    /// <summary>The kinds of callbacks that were called.</summary>
    public static ICollection<string> Called => s_called.Keys;

    /// <summary>The kinds of callbacks that were called under a lock of the library, with the call stack.</summary>
    public static IReadOnlyDictionary<string, string> CalledUnderLock => s_underLock;

    /// <summary>Called by each callback of a scenario.</summary>
    /// <param name="callback">The kind of the callback, such as "handler".</param>
    public static void Check(string callback)
    {
        s_called[callback] = true;
        if (t_held > 0)
            s_underLock.TryAdd(callback, $"{callback} under a lock\n{Environment.StackTrace}");
    }

    [Replaces("System.Threading.Monitor.Enter/2")]
    public static void Enter(object gate, ref bool isTaken)
    {
        Monitor.Enter(gate, ref isTaken);
        t_held++;
    }

    [Replaces("System.Threading.Monitor.Exit/1")]
    public static void Exit(object gate)
    {
        t_held--;
        Monitor.Exit(gate);
    }

    [Replaces("System.Threading.SpinLock.Enter/1")]
    public static void Enter(ref SpinLock gate, ref bool isTaken)
    {
        gate.Enter(ref isTaken);
        t_held++;
    }

    [Replaces("System.Threading.SpinLock.Exit/1")]
    public static void Exit(ref SpinLock gate, bool useMemoryBarrier)
    {
        t_held--;
        gate.Exit(useMemoryBarrier);
    }
}
