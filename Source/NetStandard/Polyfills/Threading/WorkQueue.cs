using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Polyfills;

/// <summary>Runs work items on a few threads of the library. On Mono, the thread pool allocates about 100 B for each item; this queue allocates nothing.</summary>
/// <remarks>An item may run code of the program, which may block. If no thread of the queue is idle, an item of the thread pool therefore helps, so that no item waits for another.</remarks>
internal static class WorkQueue
{
    private static readonly object s_gate = new();
    private static readonly int s_maxThreads = Math.Max(8, Environment.ProcessorCount); // With 4, a pumped game and its tool often found no idle thread.
    private static readonly WaitCallback s_help = Help;

    private static readonly Action<object?> s_execute = static item => ((IThreadPoolWorkItem)item!).Execute();

    private static (Action<object?> Run, object? State)[] s_ring = new (Action<object?>, object?)[64];
    private static int s_first;
    private static int s_count;
    private static int s_threads;
    private static int s_idle; // the threads that wait and were not woken
    private static bool s_isHelpQueued;

    /// <summary>Queues an item.</summary>
    public static void Add(IThreadPoolWorkItem item) => Add(s_execute, item);

    /// <summary>Queues a call.</summary>
    public static void Add(Action<object?> run, object? state)
    {
        var (starts, helps) = (false, false);
        lock (s_gate)
        {
            Append(run, state);
            if (s_idle > 0)
            {
                s_idle--;
                Monitor.Pulse(s_gate);
            }
            else if (s_threads < s_maxThreads)
            {
                s_threads++;
                starts = true;
            }
            else
            {
                helps = !s_isHelpQueued;
                s_isHelpQueued = true;
            }
        }

        if (starts)
            LibraryThread.Start("Reloaded.Messaging", Work);
        if (helps)
            ThreadPool.UnsafeQueueUserWorkItem(s_help, null);
    }

    private static void Work()
    {
        while (true)
        {
            Wait();
            RunOne();
        }
    }

    /// <summary>Runs one item on the thread pool. The next one has another helper, because this one may block.</summary>
    private static void Help(object? state)
    {
        bool helps;
        lock (s_gate)
            helps = s_isHelpQueued = s_count > 1;
        if (helps)
            ThreadPool.UnsafeQueueUserWorkItem(s_help, null);
        RunOne();
    }

    /// <summary>Waits for an item. Mono scans the stack of a waiting thread conservatively, so no variable of this method refers to an item.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Wait()
    {
        lock (s_gate)
        {
            while (s_count == 0)
            {
                s_idle++;
                Monitor.Wait(s_gate);
            }
        }
    }

    /// <summary>Runs the oldest item.</summary>
    /// <returns><see langword="false"/> if the queue is empty; otherwise, <see langword="true"/>.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool RunOne()
    {
        Action<object?> run;
        object? state;
        lock (s_gate)
        {
            if (s_count == 0)
                return false;
            (run, state) = s_ring[s_first];
            s_ring[s_first] = default;
            s_first = (s_first + 1) % s_ring.Length;
            s_count--;
        }

        run(state);
        return true;
    }

    private static void Append(Action<object?> run, object? state)
    {
        if (s_count == s_ring.Length)
        {
            var larger = new (Action<object?>, object?)[2 * s_count];
            var end = s_ring.Length - s_first;
            Array.Copy(s_ring, s_first, larger, 0, end);
            Array.Copy(s_ring, 0, larger, end, s_first);
            (s_ring, s_first) = (larger, 0);
        }

        s_ring[(s_first + s_count++) % s_ring.Length] = (run, state);
    }
}
