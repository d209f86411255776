using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Simulation;

/// <summary>What the rewritten library calls instead of the clock, the thread pool, the locks and the random numbers of the framework.</summary>
public static partial class Replacements
{
    private static readonly ConditionalWeakTable<CancellationTokenSource, ITimer> s_timers = [];
    private static readonly Dictionary<Action<long>, ITimer> s_ticks = [];

    [ThreadStatic]
    private static int t_heldLocks;

    /// <summary>The number of locks of the library that the current thread holds. The thread of finalizers takes some too.</summary>
    public static int HeldLocks => t_heldLocks;

    // Time.
    [Replaces(typeof(TimeProvider), "get_System")]
    public static TimeProvider GetTime() => World.Time;

    [Replaces(typeof(Environment), "get_TickCount64")]
    public static long GetTickCount() => World.Milliseconds;

    [Replaces(typeof(Stopwatch), "GetTimestamp")]
    public static long GetTimestamp() => World.Time.GetTimestamp();

    [Replaces(typeof(Stopwatch), "GetElapsedTime")]
    public static TimeSpan GetElapsed(long since) => World.Time.GetElapsedTime(since);

    [Replaces(typeof(Task), "Delay")]
    public static Task Delay(TimeSpan delay) => Task.Delay(delay, World.Time);

    [Replaces(typeof(Task), "Delay")]
    public static Task Delay(TimeSpan delay, CancellationToken token) => Task.Delay(delay, World.Time, token);

    [Replaces(typeof(Task), "Delay")]
    public static Task Delay(int milliseconds, CancellationToken token) => Task.Delay(Span(milliseconds), World.Time, token);

    [Replaces(typeof(Task), "WaitAsync")]
    public static Task Wait(Task task, TimeSpan timeout) => task.WaitAsync(timeout, World.Time);

    [Replaces(typeof(Task), "WaitAsync")]
    public static Task Wait(Task task, TimeSpan timeout, CancellationToken token) => task.WaitAsync(timeout, World.Time, token);

    [Replaces(typeof(Task<>), "WaitAsync")]
    public static Task<T> Wait<T>(Task<T> task, TimeSpan timeout, CancellationToken token) => task.WaitAsync(timeout, World.Time, token);

    [Replaces(typeof(CancellationTokenSource), ".ctor")]
    public static CancellationTokenSource MakeSource(TimeSpan delay) => new(delay, World.Time);

    [Replaces(typeof(CancellationTokenSource), "CancelAfter")]
    public static void CancelAfter(CancellationTokenSource source, TimeSpan delay)
    {
        if (s_timers.TryGetValue(source, out var timer))
            timer.Change(delay, Timeout.InfiniteTimeSpan);
        else
            s_timers.Add(source, World.Time.CreateTimer(static state => Cancel((CancellationTokenSource)state!), source, delay, Timeout.InfiniteTimeSpan));
    }

    [Replaces(typeof(PeriodicTimer), ".ctor")]
    public static PeriodicTimer MakePeriodic(TimeSpan period)
    {
        var made = new PeriodicTimer(period, World.Time);
        GC.SuppressFinalize(made); // it would wake its loop in a later world
        return made;
    }

    [Replaces("Reloaded.Messaging.Hosting.HostTimer", "Add")]
    public static void AddTick(object timer, Action<long> tick) =>
        s_ticks.Add(tick, World.Time.CreateTimer(static state => ((Action<long>)state!)(World.Milliseconds), tick, TimeSpan.FromMilliseconds(50), TimeSpan.FromMilliseconds(50)));

    [Replaces("Reloaded.Messaging.Hosting.HostTimer", "Remove")]
    public static void RemoveTick(object timer, Action<long> tick)
    {
        if (s_ticks.Remove(tick, out var made))
            made.Dispose();
    }

    // Threads.
    [Replaces(typeof(ThreadPool), "UnsafeQueueUserWorkItem")]
    public static bool Queue(IThreadPoolWorkItem item, bool preferLocal) => World.Queue(item);

    [Replaces(typeof(ThreadPool), "UnsafeQueueUserWorkItem")]
    public static bool Queue(WaitCallback callback, object? state) => World.Queue(new Item<object?>(new Action<object?>(callback), state));

    [Replaces(typeof(Task), "Run")]
    public static Task Run(Action action) => Run(() =>
    {
        action();
        return Task.CompletedTask;
    });

    [Replaces(typeof(Task), "Run")]
    public static Task Run(Func<Task?> function) => Run(async () =>
    {
        await (function() ?? Task.CompletedTask).ConfigureAwait(false);
        return true;
    });

    [Replaces(typeof(Task), "Run")]
    public static Task Run(Func<Task?> function, CancellationToken token) => token.IsCancellationRequested ? Task.FromCanceled(token) : Run(function);

    [Replaces(typeof(Task), "Run")]
    public static Task<T> Run<T>(Func<Task<T>?> function)
    {
        var begun = new TaskCompletionSource<Task<T>>();
        World.Queue(new Item<Func<Task<T>?>>(call => begun.SetResult(StartAsync(call)), function));
        return begun.Task.Unwrap();

        static async Task<T> StartAsync(Func<Task<T>?> call) => await call()!.ConfigureAwait(false);
    }

    [Replaces(typeof(Monitor), "Enter")]
    public static void Enter(object gate, ref bool isTaken)
    {
        Monitor.Enter(gate, ref isTaken);
        t_heldLocks++;
    }

    [Replaces(typeof(Monitor), "Exit")]
    public static void Exit(object gate)
    {
        t_heldLocks--;
        Monitor.Exit(gate);
    }

    [Replaces(typeof(SpinLock), "Enter")]
    public static void Enter(ref SpinLock gate, ref bool isTaken)
    {
        gate.Enter(ref isTaken);
        t_heldLocks++;
    }

    [Replaces(typeof(SpinLock), "Exit")]
    public static void Exit(ref SpinLock gate, bool useMemoryBarrier)
    {
        t_heldLocks--;
        gate.Exit(useMemoryBarrier);
    }

    // Random numbers.
    [Replaces(typeof(Random), "get_Shared")]
    public static Random GetRandom() => World.Random;

    [Replaces(typeof(RandomNumberGenerator), "Fill")]
    public static void Fill(Span<byte> bytes) => World.Random.NextBytes(bytes);

    [Replaces(typeof(RandomNumberGenerator), "GetBytes")]
    public static byte[] GetBytes(int count)
    {
        var bytes = new byte[count];
        World.Random.NextBytes(bytes);
        return bytes;
    }

    /// <summary>Forgets the timers of an earlier world.</summary>
    internal static void Reset()
    {
        s_ticks.Clear();
    }

    private static TimeSpan Span(int milliseconds) => milliseconds < 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(milliseconds);

    private static void Cancel(CancellationTokenSource source)
    {
        try
        {
            source.Cancel();
        }
        catch (ObjectDisposedException e)
        {
            _ = e; // as in the framework, where disposing stops the timer
        }
    }

    private sealed class Item<T>(Action<T> call, T state) : IThreadPoolWorkItem
    {
        public void Execute() => call(state);
    }
}
